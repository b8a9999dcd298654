import type { Client } from "../../core/store/database/client.ts";

/** A channel that sessions were in. */
export interface KnownChannel {
  /** `slack:C1` */
  readonly id: string;
  /** `slack:T1` */
  readonly workspaceId: string;
  readonly name: string;
}

export function channelReads(db: Client) {
  return {
    all: (): Promise<KnownChannel[]> =>
      db.channel.findMany({ select: { id: true, workspaceId: true, name: true }, orderBy: { id: "asc" } }),
  };
}
