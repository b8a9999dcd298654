import type { ChatCommand, CommandReply } from "../../../core/command-line/command.ts";
import { privateMessage } from "../../../core/protocol/replies.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import type { DeletionScope } from "../delete-sessions.ts";
import { dataText, openRunsNote } from "./data-text.ts";
import { findPerson, markPerson, type PersonsData } from "./delete-person.ts";

interface DeleteScope {
  readonly world: DeletionScope;
  readonly audit: FeatureHost["audit"];
  /** Continues in the background with what is marked. */
  readonly resume: () => void;
}

const DELETE = "delete me";
const SURE = "delete me now";

/** `/data` shows what is kept of the person who types it, and deletes it. */
export function dataCommand({ world, audit, resume }: DeleteScope): ChatCommand["run"] {
  return async (line, { person }) => {
    const typed = line.trim().toLowerCase().replaceAll(/\s+/gu, " ");
    const found = await findPerson(person.id, world);
    if (typed === "")
      return privateMessage(`**What I keep of you**\n${dataText(found, "you")}\n\n\`/data ${DELETE}\` deletes it.`);
    if (typed !== DELETE && typed !== SURE) return privateMessage(`There is \`/data\` and \`/data ${DELETE}\`.`);
    if (found.openRuns > 0)
      return privateMessage(
        `✗ ${openRunsNote(found)} in threads that you take part in: \`/stop\` there first, or wait for the end. Nothing was deleted.`,
      );
    if (typed === DELETE) return asked(found);
    const { pseudonym } = await markPerson(person.id, world);
    await audit({ by: pseudonym, act: "person.deleted", about: pseudonym });
    resume();
    return privateMessage(`✓ I delete it now; in a moment nothing of it is left here:\n${dataText(found, "you")}`);
  };
}

function asked(found: PersonsData): CommandReply {
  return {
    ...privateMessage(
      `⚠ **This deletes for good what I keep of you**\n${dataText(found, "you")}\n\nWhat others have written stays, and so do messages on Slack and Discord: delete these there. Or type \`/data ${SURE}\`.`,
    ),
    buttons: [{ id: `data:${SURE}`, label: "Delete it all", style: "danger" }],
  };
}
