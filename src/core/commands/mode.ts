import { isAbove, MODES, type Mode } from "../agents/query-config.ts";
import { readArguments } from "../command-line/arguments.ts";
import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { mayRaise } from "../command-line/may-use.ts";
import { didYouMean, nearest } from "../command-line/nearest.ts";
import { quoteInput } from "../command-line/quote-input.ts";
import { effectiveSession, NO_THREAD, sessionToChange } from "../command-line/session-to-change.ts";
import { RAISED_MS } from "../events/session-settings.ts";
import { isAdmin } from "../permissions/access.ts";
import { privateMessage, publicMessage } from "../platform/replies.ts";

export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  read: "I only look and change nothing",
  write: "I ask before I change files or run commands",
  agi: "I change files and run commands, and rarely ask first",
};

const USUAL = "default";

export const modeCommand: ChatCommand = {
  name: "mode",
  description: "show or set what I may do in this thread",
  usage: "[read|write|agi|default]",
  permission: "people",
  onlyShows: (line) => line === "",
  options: [
    { name: "mode", description: "read: only look; write: ask first; agi: rarely ask", choices: [...MODES, USUAL] },
  ],
  async run(line, context) {
    const read = readArguments(line, { words: 1 });
    if (read.type === "broken") return privateMessage(read.reason);
    const wanted = read.words[0]?.toLowerCase();
    return privateMessage(wanted === undefined ? current(context) : await setMode(wanted, context));
  },
};

function current(context: CommandContext): string {
  const { mode } = context.configOf(effectiveSession(context));
  const others = MODES.map((each) => `\`${each}\`: ${MODE_WORDS[each]}`);
  const how = "`/mode <name>` sets the mode for this thread; `/mode default` resets it.";
  return [`Mode **${mode}**: ${MODE_WORDS[mode]}.`, ...others, how].join("\n");
}

async function setMode(wanted: string, context: CommandContext): Promise<string> {
  const usual = context.configOf({ ...effectiveSession(context), settings: {} }).mode;
  const mode = wanted === USUAL ? usual : MODES.find((each) => each === wanted);
  if (mode === undefined) {
    return `I don't know the mode ${quoteInput(wanted)}.${didYouMean(nearest(wanted, MODES), "Use `read`, `write` or `agi`.")}`;
  }
  const refusal = raiseRefusal({ mode, usual }, context);
  if (refusal !== null) return refusal;
  const session = await sessionToChange(context);
  if (session === null) return NO_THREAD;
  const { store, runtime, person, access, isDirect } = context;
  const now = runtime.clock.now();
  const by = isAdmin(person, access) ? null : person.id;
  const raised = isAbove(mode, usual) ? { by, until: now + RAISED_MS } : null;
  const change = { mode: mode === usual ? null : mode, raised };
  if (raised !== null && !isDirect) {
    const notice = raisedText({ mode, usual, isForAll: by === null }, person.name);
    await context.say(session.thread, publicMessage(notice), "mode");
  }
  await store.transaction((tx) => tx.sessions.changeSettings(session.id, change, now));
  const isRunning = (await store.runs.open(session.id)) !== null;
  return `✓ Mode **${mode}** in this thread: ${MODE_WORDS[mode]}.${isRunning ? " It applies from my next run; `/stop` ends this one." : ""}`;
}

interface Raise {
  readonly mode: Mode;
  readonly usual: Mode;
  readonly isForAll: boolean;
}

/** Announces the raised mode in the thread, because it affects what may happen there. */
function raisedText({ mode, usual, isForAll }: Raise, name: string): string {
  const whose = isForAll ? "everyone asks here" : `@${name} asks here; others' requests stay in \`${usual}\``;
  return `⚠ @${name} raised this thread's mode from \`${usual}\` to **${mode}**: ${MODE_WORDS[mode]}. It applies to what ${whose}. It ends after 24 hours without a message; \`/mode default\` resets it now.`;
}

function raiseRefusal({ mode, usual }: Pick<Raise, "mode" | "usual">, context: CommandContext): string | null {
  if (!isAbove(mode, usual) || mayRaise(context)) return null;
  return `Only admins and approvers can raise the mode here from \`${usual}\` to \`${mode}\`.`;
}
