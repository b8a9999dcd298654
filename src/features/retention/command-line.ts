import { assertNever } from "../../core/protocol/assert-never.ts";
import { type DeletingWorld, deleteSessions } from "./delete-sessions.ts";

/** What the command line asks for. */
export type DeletionRequest = { readonly type: "session"; readonly id: string };

export interface Carried {
  readonly ok: boolean;
  readonly line: string;
}

const NEVER = AbortSignal.any([]);

/** `deckhand data delete …`: what came of it, as a line for the terminal. */
export async function deleteData({ id }: DeletionRequest, world: DeletingWorld): Promise<Carried> {
  const outcome = (await deleteSessions({ why: "session", roots: [id] }, world, NEVER)).get(id) ?? "missing";
  switch (outcome) {
    case "deleted":
      return { ok: true, line: `✓ ${id} is deleted, with its sub-agents' sessions and what was learned from it.` };
    case "live":
      return { ok: false, line: `✗ ${LIVE} Nothing was deleted.` };
    case "missing":
      return { ok: false, line: `✗ There is no session ${id}; a sub-agent's goes with the one that has begun it.` };
    default:
      return assertNever(outcome);
  }
}

/** Why a session is not deleted. */
const LIVE = "A run of this session goes on, or is about to begin: stop it first.";
