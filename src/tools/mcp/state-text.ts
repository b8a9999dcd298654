import type { ConnectionState } from "./connection.ts";

interface Named {
  readonly name: string;
  readonly state: ConnectionState;
}

/** `files is not connected: its program is not found. Next try in 12 s.`; said of a server that is not connected. */
export function notConnected({ name, state }: Named, now: number): string {
  switch (state.type) {
    case "down": {
      const seconds = state.nextAt === null ? 0 : Math.ceil((state.nextAt - now) / 1_000);
      return `${name} is not connected: ${state.why}. Next try ${seconds <= 0 ? "now" : `in ${seconds} s`}.`;
    }
    case "connecting":
      return state.why === null
        ? `${name} is not connected yet.`
        : `${name} is not connected: ${state.why}. It is being tried again now.`;
    case "stopped":
      return `${name} is not connected: it is stopped.`;
    default:
      return `${name} is not connected yet.`;
  }
}
