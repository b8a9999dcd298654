import type { ChatCommand, CommandReply } from "../../../core/command-line/command.ts";
import { privateMessage } from "../../../core/platform/replies.ts";
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
      return privateMessage(`**What I store about you**\n${dataText(found, "you")}\n\n\`/data ${DELETE}\` deletes it.`);
    if (typed !== DELETE && typed !== SURE) return privateMessage(`Use \`/data\` or \`/data ${DELETE}\`.`);
    if (found.openRuns > 0)
      return privateMessage(
        `✗ ${openRunsNote(found)} in threads you take part in: \`/stop\` there first, or wait until it ends. Nothing was deleted.`,
      );
    if (typed === DELETE) return asked(found);
    const { pseudonym } = await markPerson(person.id, world);
    await audit({ by: pseudonym, act: "person.deleted", about: pseudonym });
    resume();
    return privateMessage(
      `✓ I'm deleting it now; in a moment, none of this will be left here:\n${dataText(found, "you")}`,
    );
  };
}

function asked(found: PersonsData): CommandReply {
  return {
    ...privateMessage(
      `⚠ **This permanently deletes what I store about you**\n${dataText(found, "you")}\n\nWhat others have written stays, and so do messages on Slack and Discord; delete those there. Or type \`/data ${SURE}\`.`,
    ),
    buttons: [{ id: `data:${SURE}`, label: "Delete it all", style: "danger" }],
  };
}
