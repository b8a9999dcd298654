import type { Client, Stored } from "../../core/store/database/client.ts";

/** A text on an undecided card. */
export interface WaitingText {
  readonly channelKey: string;
  readonly path: string;
  readonly sha256: string;
  readonly runId: string;
  /** The person whose request brought the text into a prompt. */
  readonly requester: { readonly id: string; readonly name: string };
}

export function cardReads(db: Client) {
  return {
    async inChannel(channelKey: string): Promise<WaitingText[]> {
      return (await db.instructionCard.findMany({ where: { channelId: channelKey } })).map(toText);
    },

    /** The texts on a run's card, in order of path. */
    async ofRun(runId: string): Promise<WaitingText[]> {
      return (await db.instructionCard.findMany({ where: { runId }, orderBy: { path: "asc" } })).map(toText);
    },
  };
}

export function cardWrites(db: Client) {
  return {
    ...cardReads(db),

    async add(texts: readonly WaitingText[], at: number): Promise<void> {
      const rows = texts.map(({ channelKey, requester, ...text }) => ({
        ...text,
        channelId: channelKey,
        requesterId: requester.id,
        requesterName: requester.name,
        createdAt: new Date(at),
      }));
      await db.instructionCard.createMany({ data: rows });
    },

    /** Removes a text from all cards once it is decided; false if it already was. */
    async decide({ channelKey, path, sha256 }: WaitingText): Promise<boolean> {
      const { count } = await db.instructionCard.deleteMany({ where: { channelId: channelKey, path, sha256 } });
      return count > 0;
    },
  };
}

function toText(row: Stored<"InstructionCard">): WaitingText {
  const { channelId, path, sha256, runId, requesterId, requesterName } = row;
  return { channelKey: channelId, path, sha256, runId, requester: { id: requesterId, name: requesterName } };
}
