import type { SubcommandWorld } from "../../cli/subcommand.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { type DeletionScope, deleteSessions } from "./delete-sessions.ts";
import { dataText, openRunsNote } from "./person/data-text.ts";
import { erasePerson, findPerson, markPerson } from "./person/delete-person.ts";

/** A request to `deckhand data delete`. */
export interface DeletionRequest {
  readonly type: "session" | "person";
  /** `ses_01k9`, or `slack:U1`. */
  readonly id: string;
}

interface CommandResult {
  readonly ok: boolean;
  readonly line: string;
  /** How the audit log names the deleted data. */
  readonly about: string;
}

const NEVER = AbortSignal.any([]);

export function runDelete({ type, id }: DeletionRequest, { answer, onExistingStore }: SubcommandWorld): Promise<void> {
  return onExistingStore(async (world) => {
    const { config } = await world.settings();
    const scope = { ...world, sandboxRootOf: (thread: ThreadRef) => world.sandboxRootOf(config, thread) };
    const { ok, line, about } = await (type === "session" ? deleteSession(id, scope) : deletePerson(id, scope));
    answer({ ok, lines: [line] });
    if (ok) await world.audit({ act: `${type}.deleted`, about });
  });
}

async function deletePerson(id: string, world: DeletionScope): Promise<CommandResult> {
  const found = await findPerson(id, world);
  if (found.openRuns > 0)
    return refused(
      id,
      `${openRunsNote(found)} in threads that ${id} takes part in: stop them first. Nothing was deleted.`,
    );
  const mark = await markPerson(id, world);
  await erasePerson(mark, world, NEVER);
  return { ok: true, about: mark.pseudonym, line: `✓ The data stored about ${id} was deleted:\n${dataText(found)}` };
}

async function deleteSession(id: string, world: DeletionScope): Promise<CommandResult> {
  const outcome = (await deleteSessions({ why: "session", roots: [id] }, world, NEVER)).get(id) ?? "missing";
  switch (outcome) {
    case "deleted":
      return {
        ok: true,
        about: id,
        line: `✓ ${id} was deleted, with its sub-agents' sessions and what was learned from it.`,
      };
    case "live":
      return refused(id, `${LIVE} Nothing was deleted.`);
    case "missing":
      return refused(
        id,
        `There is no session ${id}. A sub-agent's session is deleted with the session that started it.`,
      );
    default:
      return assertNever(outcome);
  }
}

function refused(about: string, reason: string): CommandResult {
  return { ok: false, about, line: `✗ ${reason}` };
}

/** Why a session cannot be deleted. */
const LIVE = "A run of this session is in progress or about to begin. Stop it first.";
