/** How a zone tells the time at one moment. */
export interface ZoneTime {
  /** Seconds by which its clocks are ahead of UTC. */
  readonly offset: number;
  /** Abbreviation of the time, such as `CEST`, or `+03` where it has none. */
  readonly name: string;
}

/** How clocks are set at a moment, in milliseconds since the epoch. */
export type Zone = (ms: number) => ZoneTime;
