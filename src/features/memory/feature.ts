import { z } from "zod";
import { field } from "../../config/fields.ts";
import { rememberCommand } from "../../core/commands/remember.ts";
import type { ConfiguredFeature, Feature, FeatureHost, GivenSettings, OpenFeature } from "../../feature.ts";
import type { Learner, LearnSettings } from "./learning/learner.ts";
import { KINDS } from "./memory.ts";
import { createTold } from "./told.ts";

const settingsSchema = z.strictObject({
  learn: field(
    z.boolean().default(true),
    "Once a thread is quiet, one short model call notes what is worth remembering of it.",
    false,
  ),
  learnAfterMinutes: field(z.number().min(0).default(10), "How long a thread is quiet before.", 10),
  model: field(
    z
      .string()
      .regex(/^[^/\s]+\/\S+$/u, "must be provider/model")
      .exactOptional(),
    "Which model notes it; the small one of the thread's provider when left out.",
    "anthropic/claude-haiku-5-5",
  ),
});

const file = {
  memory: field(
    z.union([z.boolean(), settingsSchema]).default(true),
    "What people have told is remembered, and recalled in later threads (docs/memory.md).",
    { learn: false },
  ),
};

const number = { name: "number", description: "of the memory, as /memory list shows it", required: true };
const words = { name: "text", description: "what to remember, in a sentence; a form when left out" };

/** What people have told in one thread is known in the next. */
export const memoryFeature: Feature = {
  name: "memory",
  settings: { file },
  commands: [
    {
      name: "memory",
      description: "what I remember here; adds, changes and deletes it",
      usage: "[list|search|add|edit|pin|unpin|forget|learn|off|on|export] …",
      permission: "everyone",
      hasButtons: true,
      options: [
        { name: "list", description: "what I remember in this channel, and of you", options: [] },
        {
          name: "search",
          description: "what I remember of something",
          options: [{ name: "query", description: "a few words", required: true }],
        },
        {
          name: "add",
          description: "remember something",
          options: [
            words,
            {
              name: "scope",
              description: "whom it is for; this channel when left out",
              choices: ["channel", "me", "workspace"],
            },
            { name: "kind", description: "how long it counts; semantic when left out", choices: KINDS },
          ],
        },
        { name: "edit", description: "say it otherwise", options: [number, words] },
        { name: "pin", description: "keep it from fading", options: [number] },
        { name: "unpin", description: "let it fade again", options: [number] },
        {
          name: "forget",
          description: "delete a memory, or all by and about you",
          options: [{ name: "what", description: "its number, or `me`", required: true }],
        },
        { name: "learn", description: "from this thread: note what is worth remembering of it", options: [] },
        { name: "off", description: "recall and remember nothing in this channel", options: [] },
        { name: "on", description: "recall and remember in this channel again", options: [] },
        { name: "export", description: "what I remember here, as a file", options: [] },
      ],
      whenOff: "I remember nothing from thread to thread here. An operator can change that (`memory`).",
    },
    {
      ...rememberCommand,
      description: "tell me something to keep in mind, here and in later threads; begins nothing",
      whenOff: (line, context) => rememberCommand.run(line, context),
    },
  ],
  configure,
};

function configure(given: GivenSettings): ConfiguredFeature {
  const { memory } = z.object(file).parse(given.file);
  if (memory === false) return { problems: [] };
  const { learn, learnAfterMinutes, model = null } = memory === true ? settingsSchema.parse({}) : memory;
  const settings = { learn, quietMs: learnAfterMinutes * 60_000, model };
  return { problems: [], open: (host) => open(host, settings) };
}

async function open(host: FeatureHost, settings: LearnSettings): Promise<OpenFeature> {
  const [{ createMemories }, { recallHook }, { memoryTools }, { memoryCommands }, { createLearner }, { answerHook }] =
    await Promise.all([
      import("./memories.ts"),
      import("./recall-hook.ts"),
      import("./tools.ts"),
      import("./command.ts"),
      import("./learning/learner.ts"),
      import("./answer-hook.ts"),
    ]);
  const memories = createMemories(host);
  const told = createTold();
  const tools = memoryTools(memories, { ...host, told });
  const learner = createLearner(memories, host, settings);
  const hook = recallHook(memories, host);
  const stopping = new AbortController();
  let background: Promise<void> | undefined;
  return {
    tools: () => tools,
    hook: {
      ...hook,
      ...answerHook(memories, host),
      note: (runId) => told.noteOf(runId),
      async after(run, outcome, tx) {
        await hook.after?.(run, outcome, tx);
        await learner.noteRun(run, tx);
        told.forget(run.runId);
      },
    },
    commands: memoryCommands(memories, learner),
    start(signal) {
      background = work({ host, learner }, AbortSignal.any([signal, stopping.signal]));
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await background;
      await learner.stop();
    },
  };
}

/** How long until the program is ready, which asks the database for what matters more. Milliseconds. */
const READY_MS = 300;

async function work({ host, learner }: { readonly host: FeatureHost; readonly learner: Learner }, signal: AbortSignal) {
  try {
    await host.runtime.clock.sleep(READY_MS, signal);
  } catch {
    return; // it stops before it has begun
  }
  await learner.start(signal);
  const { reindex } = await import("./search/reindex.ts");
  await reindex(host, signal);
}
