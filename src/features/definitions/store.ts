import type { Client } from "../../core/store/database/client.ts";

/** A channel with sessions. */
interface KnownChannel {
  /** `slack:C1` */
  readonly id: string;
  readonly name: string;
}

export function channelReads(db: Client) {
  return {
    all: (): Promise<KnownChannel[]> => db.channel.findMany({ select: { id: true, name: true } }),
  };
}
