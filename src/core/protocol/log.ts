/** What the core needs of a logger: an event name and fields. pino satisfies it. */
export interface Log {
  debug(fields: object, event: string): void;
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
  child(fields: Record<string, unknown>): Log;
}
