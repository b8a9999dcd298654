import { onTestFinished } from "vitest";
import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { createTaskBoard } from "../../../src/adapters/render/progress/task-board.ts";
import { createRunViews } from "../../../src/adapters/render/run-view.ts";
import { withoutSecrets } from "../../../src/adapters/render/without-secrets.ts";
import type { QueryConfig } from "../../../src/core/agents/query-config.ts";
import type { ChatCommand } from "../../../src/core/command-line/command.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { EmbeddedEngine } from "../../../src/core/embedded-engine/embedded-engine.ts";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { MessageFinaliser } from "../../../src/core/people/message-finaliser.ts";
import { withServedAuthors } from "../../../src/core/permissions/served-authors.ts";
import type { ChatPlatform, ThreadMessage } from "../../../src/core/platform/chat-platform.ts";
import type { Attachment, InboundMessage, Receipt, Receive } from "../../../src/core/platform/inbound.ts";
import type { OutgoingMessage } from "../../../src/core/platform/outgoing.ts";
import type { Person } from "../../../src/core/platform/thread.ts";
import type { AppError } from "../../../src/core/protocol/errors.ts";
import type { Ids } from "../../../src/core/protocol/runtime.ts";
import type { LlmProvider } from "../../../src/core/providers/provider.ts";
import { cardKeyOf } from "../../../src/core/run/run-hooks.ts";
import { SessionRunner } from "../../../src/core/run/runner.ts";
import type { ChannelConfig, RunnerOptions } from "../../../src/core/run/runner-options.ts";
import { type SkillCatalogue, skillCatalogue } from "../../../src/core/skills/skills.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { secretMasking } from "../../../src/core/text/secret-masking.ts";
import type { Tool } from "../../../src/core/tool.ts";
import type { OpenFeature } from "../../../src/feature.ts";
import type { FeatureHost } from "../../../src/feature-host.ts";
import { instructionsHook } from "../../../src/features/instructions/hook.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import type { InstructionGate } from "../../../src/tools/instructions/instruction-gate.ts";
import { fileSecrets, learnSecretsFrom } from "../../../src/tools/secrets/file-secrets.ts";
import { createSkillTool } from "../../../src/tools/skill.ts";
import { secretMasker } from "../../../src/tools/toolbox.ts";
import { commandServices, NO_FEATURES } from "../command-services.ts";
import { emptyStore } from "../database/emptied-databases.ts";
import { buildConfig } from "../query-config.ts";
import { countingIds, seededRandom } from "../runtime.ts";
import { silentLog } from "../silent-log.ts";
import { CHIEF } from "./sim-people.ts";
import { type SimMessage, SimServer, simPlatform } from "./sim-platform.ts";
import { simStore } from "./sim-store.ts";
import { withAgents } from "./sim-tools.ts";
import { type SimProcess, World } from "./world.ts";

/** The whole core on virtual time, with a real store and a scripted model, and without faults. */
export interface SimOffice {
  readonly store: Store;
  /** Says something in a thread. All immediate effects have happened when it resolves. */
  say(text: string, speech: Speech): Promise<Receipt>;
  /** Clicks the button whose id has this prefix, on the newest message of the thread that has one. */
  click(prefix: string, click: { by: Person; thread: string }): Promise<Receipt>;
  /** Sends a forged click: of any button, on any message, from anywhere. */
  press(action: string, click: { by: Person; thread: string; channel: string }): Promise<Receipt>;
  /** Starts another process after the first; returns whether that had died by itself. */
  revive(): Promise<boolean>;
  /** Lets virtual milliseconds pass. */
  pass(ms: number): Promise<void>;
  messages(thread: string): readonly SimMessage[];
  /** Cards of the thread that wait for a decision. */
  cards(thread: string): readonly SimMessage[];
}

interface Speech {
  readonly by: Person;
  readonly thread: string;
  readonly channel?: string;
  /** Defaults to a mention of the bot. */
  readonly addressed?: "mention" | "none";
  /** Words of others that accompany the message. */
  readonly quoted?: InboundMessage["quoted"];
  readonly attachments?: InboundMessage["attachments"];
  /**
   * Whether the message begins the thread or belongs to an existing one. By default, it begins one if the thread has no
   * message of the bot.
   */
  readonly opensThread?: boolean;
  /** Steps after which the process that receives the message dies. */
  readonly diesAfter?: number;
}

export interface SimOfficeOptions {
  readonly model: LlmProvider;
  readonly tools: readonly Tool[];
  /** Further tools whose calls run in real time, while the office's time stands still. */
  readonly realTools?: readonly Tool[];
  /** If set, the program's own tools for sub-agents are included. */
  readonly withSubAgents?: true;
  readonly config?: Partial<QueryConfig>;
  /** Returns the current skills. */
  readonly skills?: () => SkillCatalogue;
  /** Instructions of a checkout, followed once somebody has allowed them. */
  readonly checkout?: (store: Store) => InstructionGate;
  /** A feature with tools and hooks. */
  readonly feature?: (host: Pick<FeatureHost, "store" | "runtime" | "log">) => Pick<OpenFeature, "hook" | "tools">;
  /** Commands of features. */
  readonly commands?: NonNullable<OpenFeature["commands"]>;
  /** Differences from a channel without files and hosts. */
  readonly place?: Partial<ChannelConfig>;
  /** Messages in a thread that are not addressed to the agent. */
  readonly said?: readonly ThreadMessage[];
  readonly fetchFile?: (ref: string) => Uint8Array;
  /** Further information that the platform has. */
  readonly platform?: Pick<ChatPlatform, "member">;
  /** Why the platform refuses a message; null if it accepts it. */
  readonly refuses?: (message: OutgoingMessage) => AppError | null;
  /** Saves attachments. */
  readonly saveAttachment?: RunnerOptions["saveAttachment"];
  readonly readDocument?: RunnerOptions["readDocument"];
  /** Maximum number of concurrent runs. */
  readonly maxConcurrentRuns?: number;
}

const APPROVALS = { approvers: [CHIEF.id], requester: true, expiresMinutes: 60, admins: [] };
const ACCESS = { admins: [], deny: [], guests: false, external: false };
const FACTS = { contextWindow: 200_000, maxOutputTokens: 64_000, price: null };
/** Milliseconds until a turn's edits and posts have been sent. */
const SETTLED_MS = 10_000;

interface Outliving {
  readonly world: World;
  readonly stored: Store;
  readonly server: SimServer;
  readonly ids: Ids;
}

/** A process of the program, whose unstored work ends with it. */
interface OfficeProcess {
  readonly process: SimProcess;
  readonly receive: Receive;
}

async function startProcess(
  options: SimOfficeOptions,
  { world, stored, server, ids }: Outliving,
): Promise<OfficeProcess> {
  const { model, maxConcurrentRuns = 4, config = {}, skills = () => skillCatalogue([], []), said = [] } = options;
  const process = world.spawn(null);
  const clock = world.clockOf(process);
  const runtime = { clock, ids, random: world.random };
  const secrets = { ...secretMasking([]), files: fileSecrets() };
  const store = learnSecretsFrom(simStore(stored, world, process), secrets.files);
  const bare = simPlatform({ world, process, server, faultRate: 0 });
  const { fetchFile } = options;
  const files = fetchFile === undefined ? {} : { fetchFile: ({ ref }: Attachment) => Promise.resolve(fetchFile(ref)) };
  const refusing = refusingPlatform(bare, options.refuses ?? (() => null));
  const reading = { ...refusing, fetchThread: () => Promise.resolve(said), ...files, ...options.platform };
  const platform = pacePlatform(withServedAuthors(withoutSecrets(reading, secrets, secrets.files), ACCESS), clock);
  const real = <T>(work: () => Promise<T>) => world.real(process, work);
  const own = [...options.tools, ...(options.realTools ?? []).map((tool) => inRealTime(tool, real))];
  const log = silentLog;
  const engine = new EmbeddedEngine({ store, runtime, log, maxConcurrentRuns, target: () => platform });
  const deps = { store, engine, clock, log, approvals: APPROVALS };
  const feature = options.feature?.({ store, runtime, log });
  own.push(...(feature?.tools?.() ?? []));
  const tools = (options.withSubAgents === true ? withAgents(own, deps) : own).map(secretMasker(secrets));
  const { signal } = new AbortController();
  const finaliser = new MessageFinaliser({ store, clock, log, platform: () => platform, signal });
  const gate = options.checkout?.(store);
  const closeCard: FeatureHost["closeCard"] = async ({ runId, hook, ...card }, last) => {
    await finaliser.close(runId, cardKeyOf(hook), { ...card, last });
  };
  const asking = gate && instructionsHook({ store, runtime, approvals: APPROVALS, instructions: gate, closeCard });
  const hooks = () => [
    ...(asking === undefined ? [] : [{ name: "instructions", ...asking }]),
    ...(feature?.hook === undefined ? [] : [{ name: "feature", ...feature.hook }]),
  ];
  const cluster = onlyProcess({ clock, log });
  const receive = createIntake({
    hooks,
    cluster,
    commands: withFeatures(options.commands ?? {}, real),
    store,
    engine,
    runtime,
    log,
    approvals: APPROVALS,
    access: ACCESS,
    workspaceRefusal: () => Promise.resolve(null),
    requiresMention: () => false,
    ...commandServices(),
    // A real post would take virtual time, which stands still while a command is handled.
    announce: ({ platform: name, channelId }) => Promise.resolve({ platform: name, channelId, messageId: "announced" }),
    skillsOf: () => Promise.resolve(skills()),
  });
  const runner = new SessionRunner({
    finaliser,
    store,
    runtime,
    log,
    registry: { resolve: async () => ({ provider: model, model: "one", facts: FACTS }), available: () => ["scripted"] },
    budgets: {},
    approvals: APPROVALS,
    engine,
    ...NO_FEATURES,
    cluster,
    tools: () => (gate === undefined ? tools : [...tools, createSkillTool(gate)]),
    hooks,
    skillsOf: gate?.skills ?? skills,
    platform: () => platform,
    openView: () => createRunViews({ platform, clock, log, board: createTaskBoard() }),
    channelConfigOf: async ({ channelKey, settings: { mode } }) => {
      const { sandboxRoot = "/nowhere" } = options.place ?? {};
      await gate?.look(channelKey, { sandboxRoot }, { isRepository: true, asks: true });
      return {
        config: buildConfig({
          model: "scripted/one",
          mode: "write",
          ...config,
          ...(mode === undefined ? {} : { mode }),
        }),
        sandboxRoot,
        allowedHosts: [],
        blockedUrls: [],
        sinks: [],
        place: { platform: "Slack", channel: "C" },
        ...options.place,
      };
    },
    instructionsOf: gate?.layers ?? (() => []),
    readDocument: options.readDocument ?? (() => Promise.resolve(null)),
    saveAttachment: (...given) => real(async () => (await options.saveAttachment?.(...given)) ?? null),
  });
  await engine.start(runner);
  return { process, receive };
}

export async function simOffice(options: SimOfficeOptions): Promise<SimOffice> {
  const world = new World(seededRandom(1));
  const ids = countingIds();
  const stored = await emptyStore();
  const server = new SimServer(world);
  const outliving = { world, stored, server, ids };
  let life = await startProcess(options, outliving);
  onTestFinished(() => world.kill(life.process));
  const pass = async (ms: number) => {
    let isOver = false;
    world.clockOf(null).after(ms, () => {
      isOver = true;
    });
    await world.runUntil(() => isOver, ms);
  };
  const messages = (thread: string) => server.messages.filter((message) => message.thread.threadId === thread);
  let events = 0;
  const place = (thread: string, channel: string) => ({
    workspace: { id: "T", name: "T" },
    channel: { id: channel, name: "ops", kind: "channel" as const },
    thread: { platform: "slack" as const, workspaceId: "T", channelId: channel, threadId: thread },
    at: world.now(),
  });
  const press: SimOffice["press"] = async (action, { by, thread, channel }) => {
    events += 1;
    const key = `slack:action:${channel}:${events}`;
    const receipt = await life.receive({ ...place(thread, channel), kind: "action", key, action, person: by });
    await pass(SETTLED_MS);
    return receipt;
  };
  return {
    store: stored,
    async say(text, { by, thread, channel = "C", addressed = "mention", quoted = [], attachments = [], ...more }) {
      events += 1;
      const message: InboundMessage = {
        ...place(thread, channel),
        kind: "message",
        key: `slack:T:${channel}:${events}`,
        person: by,
        text,
        addressed,
        opensThread: more.opensThread ?? messages(thread).length === 0,
        attachments,
        quoted,
        messageId: String(events),
      };
      const receipt = await life.receive(message);
      if (more.diesAfter !== undefined) life.process.stepsLeft = more.diesAfter;
      await pass(SETTLED_MS);
      return receipt;
    },
    async revive() {
      const hasDied = !life.process.isAlive;
      world.kill(life.process);
      life = await startProcess(options, outliving);
      await pass(SETTLED_MS);
      return hasDied;
    },
    async click(prefix, { by, thread }) {
      const holder = messages(thread).findLast(({ buttons }) => buttons.some((id) => id.startsWith(prefix)));
      const action = holder?.buttons.find((id) => id.startsWith(prefix));
      if (holder === undefined || action === undefined) throw new Error(`no button begins with ${prefix}`);
      return press(action, { by, thread, channel: holder.thread.channelId });
    },
    press,
    pass,
    messages,
    cards: (thread) => messages(thread).filter(({ buttons }) => buttons.some((id) => id.startsWith("approve:"))),
  };
}

function refusingPlatform(
  platform: ChatPlatform,
  refuses: (message: OutgoingMessage) => AppError | null,
): ChatPlatform {
  const unless = <T>(message: OutgoingMessage, work: () => Promise<T>) => {
    const refused = refuses(message);
    return refused === null ? work() : Promise.reject(refused);
  };
  return {
    ...platform,
    post: (thread, message, key) => unless(message, () => platform.post(thread, message, key)),
    edit: (posted, message) => unless(message, () => platform.edit(posted, message)),
  };
}

/** The program's commands, and those of features, which run in real time. */
function withFeatures(
  commands: NonNullable<OpenFeature["commands"]>,
  real: <T>(work: () => Promise<T>) => Promise<T>,
): readonly ChatCommand[] {
  const own = Object.entries(commands).map(([name, run]): ChatCommand => {
    return { name, description: name, permission: "people", run: (...given) => real(() => run(...given)) };
  });
  return [...CHAT_COMMANDS, ...own];
}

function inRealTime(tool: Tool, real: <T>(work: () => Promise<T>) => Promise<T>): Tool {
  const { preview } = tool;
  return {
    ...tool,
    execute: (input, ctx, signal) => real(() => tool.execute(input, ctx, signal)),
    ...(preview && { preview: (input, ctx, signal) => real(() => preview(input, ctx, signal)) }),
  };
}
