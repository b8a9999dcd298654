import { readArguments } from "../command-line/arguments.ts";
import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { noSessionReply } from "../command-line/outside-threads.ts";
import { quoteInput } from "../command-line/quote-input.ts";
import type { FileOutcome } from "../history/file-restore.ts";
import { listPaths, redoLastUndo, type UndoneFile, undoLastRun } from "../history/undo.ts";
import { peopleOfRun } from "../people/run-people.ts";
import { mayDecide } from "../permissions/deciders.ts";
import { privateMessage } from "../platform/replies.ts";
import type { SessionRow } from "../store/sessions.ts";
import { isTreeBusy } from "../subagents/children.ts";

export const undoCommand: ChatCommand = {
  name: "undo",
  description: "restore the files I last changed; redo reapplies the changes",
  usage: "[redo]",
  permission: "people",
  options: [{ name: "what", description: "redo: reapply what was undone", choices: ["redo"] }],
  async run(line, context) {
    const read = readArguments(line, { words: 1 });
    if (read.type === "broken") return privateMessage(read.reason);
    const [word] = read.words;
    if (word !== undefined && word !== "redo")
      return privateMessage(`I don't know ${quoteInput(word)}. Did you mean \`/undo redo\`?`);
    const { session } = context;
    if (session === null) return privateMessage(noSessionReply("undo", context));
    if (await isTreeBusy(context.store, session.id, context.runtime.clock.now())) {
      return privateMessage("I'm still working here. Send `/stop` first, then `/undo`.");
    }
    return privateMessage(await undoText(session, word === "redo", context));
  },
};

async function undoText(session: SessionRow, isRedo: boolean, context: CommandContext): Promise<string> {
  const { store, person, approvals } = context;
  const mayInstruct = async (runId: string) => {
    const { requester } = await peopleOfRun(store, runId);
    return mayDecide(person, requester.id, approvals);
  };
  const options = { ...context, session, person: { id: person.id, name: person.name }, mayInstruct };
  const files = await (isRedo ? redoLastUndo(options) : undoLastRun(options));
  if (files === null) {
    return isRedo ? "There is nothing to redo here." : "I have no file changes left to undo here.";
  }
  const done = files.filter(({ outcome }) => outcome.type === "restored").map(({ path }) => path);
  const head =
    done.length === 0
      ? "⚠ No files were changed."
      : isRedo
        ? `✓ Reapplied my changes: ${listPaths(done)}.`
        : `✓ Undid my last changes: ${listPaths(done)}. \`/undo redo\` reapplies them.`;
  return [head, ...leftLines(files)].join("\n");
}

const LEFT: Readonly<Record<Exclude<FileOutcome["type"], "restored" | "failed">, string>> = {
  changed: "someone else has changed it since",
  not_kept: "its earlier content was not kept: too large, or too long ago",
  instructs: "it instructs agents, and you can't decide on that",
};

/** Groups the files that were left alone by reason, one line each. */
function leftLines(files: readonly UndoneFile[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { path, outcome } of files) {
    if (outcome.type === "restored") continue;
    const reason = outcome.type === "failed" ? outcome.reason : LEFT[outcome.type];
    byReason.set(reason, [...(byReason.get(reason) ?? []), path]);
  }
  return [...byReason].map(([reason, paths]) => `⚠ Left unchanged: ${listPaths(paths)} · ${reason}`);
}
