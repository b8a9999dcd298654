import { z } from "zod";
import { field } from "../../config/fields.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import { sleepUnlessAborted } from "../../core/protocol/runtime.ts";
import { hasEmbeddings } from "../../core/providers/registry/embedder.ts";
import type { ConfiguredFeature, Feature, GivenSettings, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import type { Learner, LearnSettings } from "./learning/learner.ts";
import type { MeaningWork } from "./meaning/meaning.ts";
import { KINDS } from "./memory.ts";
import { rememberCommand } from "./remember.ts";
import { createRememberedCounts } from "./remembered-counts.ts";

const modelRef = z.string().regex(/^[^/\s]+\/\S+$/u, "must be provider/model");

const embeddingsSchema = z.strictObject({
  model: field(
    modelRef.refine((ref) => hasEmbeddings(ref.slice(0, ref.indexOf("/"))), "names a provider that has no embeddings"),
    "The embedding model. Everything remembered, including private notes, and each question is sent to its provider.",
    "openai/text-embedding-3-small",
  ),
  perDay: field(
    z.int().min(1).default(200_000),
    "Maximum number of texts sent in a day. Each memory is sent once, and again when it changes.",
    200_000,
  ),
});

type Embeddings = z.infer<typeof embeddingsSchema>;

const settingsSchema = z.strictObject({
  learn: field(
    z.boolean().default(true),
    "Whether one short model call notes what is worth remembering once a thread is quiet.",
    false,
  ),
  learnAfterMinutes: field(z.number().min(0).default(10), "Minutes of quiet after which a thread is learned from.", 10),
  model: field(
    modelRef.exactOptional(),
    "The model that makes the notes. Default: the small one of the thread's provider.",
    "anthropic/claude-haiku-5-5",
  ),
  embeddings: field(
    embeddingsSchema.exactOptional(),
    "Finds memories by meaning as well, with a provider's embedding model. Off by default.",
    { model: "openai/text-embedding-3-small" },
  ),
});

const file = {
  memory: field(
    z.union([z.boolean(), settingsSchema]).default(true),
    "Whether Deckhand remembers what people tell it and recalls it in later threads (docs/memory.md).",
    { learn: false },
  ),
};

const number = { name: "number", description: "the memory's number in /memory list", required: true };
const words = { name: "text", description: "what to remember, in a sentence; without it, a form opens" };

/**
 * Makes what people told in one thread known in the next. recall-hook.ts puts fitting memories before a run: search/
 * finds them by words, meaning/ by vectors, and audience.ts decides who may read them. A thread that has gone quiet is
 * learned from once: the model's proposals (learning/learner.ts) pass learning/judge.ts.
 */
export const memoryFeature: Feature = {
  name: "memory",
  settings: { file },
  commands: [
    {
      name: "memory",
      description: "what I remember here; add, change or delete memories",
      usage: "[list|search|add|edit|pin|unpin|forget|learn|off|on|export] …",
      permission: "everyone",
      hasButtons: true,
      options: [
        { name: "list", description: "list what I remember in this channel and about you", options: [] },
        {
          name: "search",
          description: "search what I remember",
          options: [{ name: "query", description: "a few words", required: true }],
        },
        {
          name: "add",
          description: "remember something",
          options: [
            words,
            {
              name: "scope",
              description: "who it is for; this channel by default",
              choices: ["channel", "me", "workspace"],
            },
            { name: "kind", description: "what kind of memory it is; semantic by default", choices: KINDS },
          ],
        },
        { name: "edit", description: "reword a memory", options: [number, words] },
        { name: "pin", description: "keep a memory from fading", options: [number] },
        { name: "unpin", description: "let a memory fade again", options: [number] },
        {
          name: "forget",
          description: "delete a memory, or all by or about you",
          options: [{ name: "what", description: "its number, or `me`", required: true }],
        },
        { name: "learn", description: "note what is worth remembering in this thread", options: [] },
        { name: "off", description: "stop remembering and recalling in this channel", options: [] },
        { name: "on", description: "remember and recall in this channel again", options: [] },
        { name: "export", description: "export what I remember here as a file", options: [] },
      ],
      whenOff: "I don't remember anything between threads here. An operator can change that (`memory`).",
    },
    {
      ...rememberCommand,
      description: "tell me something to keep in mind, here and in later threads; starts no run",
      whenOff: (line, context) => rememberCommand.run(line, context),
    },
  ],
  configure,
};

function configure(given: GivenSettings): ConfiguredFeature {
  const { memory } = z.object(file).parse(given.file);
  if (memory === false) return { problems: [] };
  const { learn, learnAfterMinutes, model = null, embeddings } = memory === true ? settingsSchema.parse({}) : memory;
  const settings = { learn, quietMs: learnAfterMinutes * 60_000, model };
  const models: Readonly<Record<string, string>> = model === null ? {} : { "memory.model": model };
  const configured = { problems: [], models, open: (host: FeatureHost) => open(host, settings, embeddings) };
  if (embeddings === undefined) return configured;
  return {
    ...configured,
    facts: { memoryEmbeddings: embeddings },
    check: async ({ createEmbedder }) => {
      const { checkEmbeddings } = await import("./meaning/check.ts");
      return [await checkEmbeddings(embeddings.model, createEmbedder)];
    },
  };
}

/** The embeddings set by the operator, for the command line; null if they are off. */
export function embeddingsIn(features: readonly Pick<ConfiguredFeature, "facts">[]): Embeddings | null {
  const set = features.flatMap(({ facts }) => facts?.["memoryEmbeddings"] ?? []);
  return set.length === 0 ? null : embeddingsSchema.parse(set[0]);
}

/** Null if the provider lacks its key: recall then works by words alone. */
async function openMeaning(host: FeatureHost, { model, perDay }: Embeddings): Promise<MeaningWork | null> {
  try {
    const [{ createMeaning }, { sharedMeaning }] = await Promise.all([
      import("./meaning/meaning.ts"),
      import("./meaning/shared-meaning.ts"),
    ]);
    return sharedMeaning(
      createMeaning({ ...host, perDay, embedder: await host.createEmbedder(model, "memory") }),
      host,
    );
  } catch (error) {
    host.log.error({ err: toAppError(error), model }, "embeddings_off");
    return null;
  }
}

async function open(host: FeatureHost, settings: LearnSettings, embeddings?: Embeddings): Promise<OpenFeature> {
  const [
    { createMemories },
    { recallHook },
    { memoryTools },
    { memoryCommands },
    { createLearner },
    { answerHook },
    { memoryRoutes },
  ] = await Promise.all([
    import("./memories.ts"),
    import("./recall-hook.ts"),
    import("./tools.ts"),
    import("./command.ts"),
    import("./learning/learner.ts"),
    import("./answer-hook.ts"),
    import("./page/routes.ts"),
  ]);
  const meaning = embeddings === undefined ? null : await openMeaning(host, embeddings);
  const memories = createMemories(host, meaning);
  const counts = createRememberedCounts();
  const tools = memoryTools(memories, { ...host, counts });
  const learner = createLearner(memories, host, settings);
  const hook = recallHook(memories, host);
  const stopping = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  return {
    tools: () => tools,
    hook: {
      ...hook,
      ...answerHook(memories, host),
      note: (runId) => counts.noteOf(runId),
      async after(run, outcome, tx) {
        await hook.after?.(run, outcome, tx);
        await learner.noteRun(run, tx);
        counts.forget(run.runId);
      },
    },
    commands: memoryCommands({ memories, learner, audit: host.audit }),
    routes: memoryRoutes(memories, host),
    start(signal) {
      const until = AbortSignal.any([signal, stopping.signal]);
      const held = host.cluster.hold("memory:work", (role) =>
        work({ host, learner, meaning }, AbortSignal.any([role, until])),
      );
      ends.push(held);
      if (host.cluster.isShared && meaning !== null) {
        // This process also loads the vectors that the process with the role makes.
        const following = meaning.follow(until);
        ends.push(() => following);
      }
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await Promise.all(ends.map((end) => end()));
    },
  };
}

/** Delay before the background work, in milliseconds, so that more important start-up queries go first. */
const READY_MS = 300;

interface WorkScope {
  readonly host: FeatureHost;
  readonly learner: Learner;
  readonly meaning: MeaningWork | null;
}

async function work({ host, learner, meaning }: WorkScope, signal: AbortSignal): Promise<void> {
  if (!(await sleepUnlessAborted(host.runtime.clock, READY_MS, signal))) return;
  const index = async (): Promise<void> => {
    const { reindex } = await import("./search/reindex.ts");
    await reindex(host, signal);
    await meaning?.work(signal);
  };
  await Promise.all([learner.work(signal), index()]);
}
