import { EFFORT_LEVELS } from "../agents/query-config.ts";
import { readArguments } from "../command-line/arguments.ts";
import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { describedCompletion, modelCompletions } from "../command-line/completions.ts";
import { nearest } from "../command-line/nearest.ts";
import { quoteInput } from "../command-line/quote-input.ts";
import { effectiveSession, NO_THREAD, sessionToChange } from "../command-line/session-to-change.ts";
import type { SettingsChange } from "../events/session-settings.ts";
import { privateMessage } from "../platform/replies.ts";

const USUAL = "default";
/** Maximum number of listed models. */
const MAX_SHOWN = 25;

export const modelCommand: ChatCommand = {
  name: "model",
  description: "show or set the model that answers in this thread",
  usage: "[provider/model] [low|medium|high|max]",
  permission: "people",
  options: [
    {
      name: "model",
      description: "provider/model, or a part that matches only one",
      complete: async (context) => [
        describedCompletion(USUAL, "this channel's setting"),
        ...(await modelCompletions(context)),
      ],
    },
    { name: "effort", description: "how much it thinks", choices: EFFORT_LEVELS },
  ],
  async run(line, context) {
    const read = readArguments(line, { words: 2 });
    if (read.type === "broken") return privateMessage(read.reason);
    return privateMessage(await (read.words.length === 0 ? current(context) : set(read.words, context)));
  },
};

async function current(context: CommandContext): Promise<string> {
  const { model, effortLevel } = context.configOf(effectiveSession(context));
  const effort = effortLevel === undefined ? "" : `, effort ${effortLevel}`;
  const others = (await context.models.list()).filter(({ ref }) => ref !== model);
  const list = others.slice(0, MAX_SHOWN).map(({ ref, about }) => `- \`${ref}\` · ${about}`);
  const rest = others.length > MAX_SHOWN ? [`and ${others.length - MAX_SHOWN} more.`] : [];
  return [
    `Model \`${model}\`${effort}. ${await context.models.about(model)}`.trimEnd(),
    ...(list.length === 0 ? [] : ["Also available (context window, US dollars per million tokens):", ...list, ...rest]),
    "`/model <name>` sets the model for this thread; `/model default` resets it.",
  ].join("\n");
}

async function set(words: readonly string[], context: CommandContext): Promise<string> {
  const change: { -readonly [Key in keyof SettingsChange]: SettingsChange[Key] } = {};
  const notes: string[] = [];
  for (const word of words) {
    const effort = EFFORT_LEVELS.find((level) => level === word.toLowerCase());
    if (effort !== undefined) change.effort = effort;
    else if (word === USUAL) Object.assign(change, { model: null, effort: null });
    else {
      const chosen = await chosenModel(word, context);
      if (chosen.type === "refused") return chosen.reason;
      change.model = chosen.ref;
      notes.push(...chosen.notes);
    }
  }
  const session = await sessionToChange(context);
  if (session === null) return NO_THREAD;
  const { store, runtime } = context;
  const settings = await store.transaction((tx) => tx.sessions.changeSettings(session.id, change, runtime.clock.now()));
  const { model, effortLevel } = context.configOf({ ...session, settings });
  const effort = effortLevel === undefined ? "" : `, effort ${effortLevel}`;
  const isRunning = (await store.runs.open(session.id)) !== null;
  if (isRunning) notes.push("It applies from my next run.");
  return [`✓ Model \`${model}\`${effort} in this thread.`, ...notes].join(" ");
}

type Chosen =
  | { readonly type: "chosen"; readonly ref: string; readonly notes: readonly string[] }
  | { readonly type: "refused"; readonly reason: string };

/** Resolves a model by its full name, its name without the provider, or a part that matches only one. */
async function chosenModel(word: string, context: CommandContext): Promise<Chosen> {
  const { models } = context;
  const known = (await models.list()).map(({ ref }) => ref);
  const found = refFor(word, known);
  if (found.type === "refused") return found;
  const { ref } = found;
  const problem = await models.problemWith(ref, context.configOf(effectiveSession(context)));
  if (problem !== null) return refused(problem);
  if (known.includes(ref)) return { type: "chosen", ref, notes: [await models.about(ref)] };
  const near = nearest(ref, known)[0];
  const hint = near === undefined ? [] : [`Did you mean \`${near}\`?`];
  return { type: "chosen", ref, notes: [`⚠ It isn't on any list I have. ${await models.about(ref)}`, ...hint] };
}

function refFor(word: string, known: readonly string[]): Chosen {
  const named = known.filter((ref) => ref.slice(ref.indexOf("/") + 1) === word);
  if (known.includes(word)) return { type: "chosen", ref: word, notes: [] };
  const fitting = named.length > 0 ? named : known.filter((ref) => ref.includes(word));
  const [only] = fitting;
  if (word.includes("/"))
    return { type: "chosen", ref: named.length === 1 && only !== undefined ? only : word, notes: [] };
  const unknown = `I don't know the model ${quoteInput(word)}. Write it as \`provider/model\`; \`/model\` lists the ones I know.`;
  if (only === undefined) return refused(unknown);
  if (fitting.length === 1) return { type: "chosen", ref: only, notes: [] };
  const some = fitting.slice(0, MAX_SHOWN).map((ref) => `\`${ref}\``);
  return refused(`Which one: ${some.join(", ")}?`);
}

function refused(reason: string): Chosen {
  return { type: "refused", reason };
}
