import { existsSync } from "node:fs";
import path from "node:path";
import type { PageAgents } from "./agents.ts";
import { type ChannelConfigs, createChannelConfigs, isOn, timezoneOf } from "./channel-config.ts";
import { unknownTools, unknownToolsOfAgents } from "./config/ineffective-settings.ts";
import type { EffectiveSettings } from "./config/stored/effective-settings.ts";
import { isWithin } from "./config/within.ts";
import type { Config } from "./config.ts";
import { titleOf } from "./core/agent/tool-decision.ts";
import { ownDirectories } from "./core/agents/own-files.ts";
import type { DefinitionTexts } from "./core/agents/page-definitions.ts";
import { createBackgroundEmbedders } from "./core/budget/background-embedder.ts";
import type { Cluster } from "./core/cluster.ts";
import type { GrowthLedger } from "./core/growth-ledger.ts";
import type { DeclaredJobReader } from "./core/jobs/job-control.ts";
import type { MessageFinaliser } from "./core/people/message-finaliser.ts";
import { createServedCheck } from "./core/permissions/access.ts";
import type { PlatformRights } from "./core/permissions/platform-rights.ts";
import type { ChatPlatform } from "./core/platform/chat-platform.ts";
import { channelKeyOf, channelOf, type PlatformName, type ThreadRef } from "./core/platform/thread.ts";
import { ConfigError } from "./core/protocol/errors.ts";
import type { Log } from "./core/protocol/log.ts";
import type { Runtime } from "./core/protocol/runtime.ts";
import { DEMO_MODEL } from "./core/providers/catalog.ts";
import { embeddersOf } from "./core/providers/registry/embedder.ts";
import type { LiveProviders } from "./core/providers/registry/live-providers.ts";
import { cardKeyOf } from "./core/run/run-hooks.ts";
import type { RunnerOptions } from "./core/run/runner-options.ts";
import { problemText, type SkillCatalogue } from "./core/skills/skills.ts";
import type { Store } from "./core/store/store.ts";
import type { Definitions, FeatureHost } from "./feature-host.ts";
import { instructionFiles, snapshotsOf } from "./home.ts";
import { createDeclaredJobReader } from "./jobs/scheduling/declared-jobs.ts";
import type { FeatureList } from "./open-features.ts";
import { createLogger } from "./operations/logging.ts";
import { proxyFor } from "./operations/proxy.ts";
import { describePlatform, PLATFORMS } from "./platforms.ts";
import { systemRuntime } from "./runtime.ts";
import { createInstructionGate, type InstructionGate } from "./tools/instructions/instruction-gate.ts";
import { createInstructionReader } from "./tools/instructions/instruction-layers.ts";
import { createPageInstructions } from "./tools/instructions/page-instructions.ts";
import { createSystemResolve } from "./tools/network/resolve.ts";
import { DayGrowth } from "./tools/quotas/day-growth.ts";
import { createQuotas, type Quotas } from "./tools/quotas/quotas.ts";
import type { FileRestoreOptions } from "./tools/restore-files.ts";
import { createPageSkills } from "./tools/skills/page-skills.ts";
import type { SkillReader } from "./tools/skills/skill-reader.ts";
import { keepWithinLimits } from "./tools/snapshots.ts";
import { createToolbox, type Toolbox, type ToolboxOptions } from "./tools/toolbox.ts";
import { type Confinement, createConfinement } from "./tools/wasm/confinement.ts";
import { createSandbox, type Sandbox } from "./tools/wasm/sandbox.ts";
import { APPLICATION, VERSION } from "./version.ts";

const MB = 1_000_000;

export interface ToolboxWorld {
  readonly cluster: Cluster;
  readonly otherSettings: FeatureHost["otherSettings"];
  readonly settings: EffectiveSettings;
  readonly config: Config;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly parts: AsyncDisposableStack;
  readonly features: FeatureList;
  readonly platforms: ReadonlyMap<PlatformName, Pick<ChatPlatform, "health">>;
  /** The program's own tokens and keys. Those that are set later are added. */
  readonly secrets: string[];
  /** Prints a line on the operator's terminal. */
  readonly say: (line: string) => void;
}

type ToolboxParts = { readonly providers: LiveProviders; readonly instructions: OpenInstructions } & Pick<
  ToolboxOptions,
  "store" | "engine" | "approvals" | "agents" | "models" | "secrets"
> &
  Pick<PlatformRights, "membershipOf" | "memberOf" | "canSeeChannel"> &
  Pick<
    FeatureHost,
    | "configOf"
    | "usualModel"
    | "jobs"
    | "quotas"
    | "sandboxRootOf"
    | "callModel"
    | "receive"
    | "addToFold"
    | "closeCard"
  >;

/** The instructions and skills of sessions, limited to those that are followed. */
export interface OpenInstructions extends InstructionGate {
  /** Agents, skills and instructions, as shown and set on the page. */
  readonly definitions: Definitions;
  /** All skills, whether they are followed or not. */
  readonly all: SkillReader;
  readonly skillsOf: (thread: ThreadRef) => Promise<SkillCatalogue>;
  readonly runs: Pick<RunnerOptions, "channelConfigOf" | "instructionsOf" | "skillsOf">;
}

/** Reads skills without changing anything. */
function skillReader({ home }: Pick<Config, "home">, fromPage: DefinitionTexts): SkillReader {
  const { reader, definitions } = createPageSkills({ application: APPLICATION, home }, createLogger("silent", []));
  definitions.set(fromPage);
  return reader;
}

/** Why skill files in the home and on the page do not load, one line each. */
export function skillProblems(config: Pick<Config, "home">, fromPage: DefinitionTexts): string[] {
  return skillReader(config, fromPage)(NOWHERE).problems.map(problemText);
}

/** Checks jobs that are defined outside the database, as a start would. Changes nothing. */
export function declaredJobReader(
  config: Config,
  { pageAgents, pageSkills }: { readonly pageAgents: PageAgents; readonly pageSkills: DefinitionTexts },
): DeclaredJobReader {
  const { agents, sandboxRootOf } = createChannelConfigs(config, () => DEMO_MODEL, pageAgents);
  const skills = skillReader(config, pageSkills);
  return createDeclaredJobReader({
    agents: () => new Set(agents.keys()),
    skillsOf: (thread) => skills(sandboxRootOf(thread)),
    platforms: PLATFORMS,
    isOn: (name) => isOn(config, name),
    defaultTimezone: timezoneOf(config),
    runtime: systemRuntime(),
  });
}

/** A sandbox root without contents. */
const NOWHERE = "/nonexistent";

interface InstructionParts {
  readonly config: Config;
  readonly log: Log;
  readonly store: Store;
  readonly channelConfigs: ChannelConfigs;
}

export function openInstructions({ config, log, store, channelConfigs }: InstructionParts): OpenInstructions {
  const { reader: all, definitions: skills } = createPageSkills({ application: APPLICATION, home: config.home }, log);
  const page = createPageInstructions();
  const gate = createInstructionGate(store, createInstructionReader(instructionFiles(config), log), all);
  const layers: InstructionGate["layers"] = (roots, channelKey) =>
    page.around(channelKey, gate.layers(roots, channelKey));
  const { agentDefinitions: agents, configured, agentOf, instructionsOf } = channelConfigs;
  return {
    ...gate,
    layers,
    all,
    definitions: {
      agents,
      skills,
      instructions: page,
      configured,
      agentOf,
      async instructionsIn(channelKey) {
        const { roots, rule } = instructionsOf(channelOf(channelKey, ""));
        const { sandboxRoot } = roots;
        await gate.look(channelKey, roots, rule);
        return {
          sandboxRoot: existsSync(sandboxRoot) ? sandboxRoot : null,
          layers: layers(roots, channelKey),
          waiting: gate.waiting({ channelKey, sandboxRoot }),
          skills: gate.skills(sandboxRoot, channelKey).skills.filter(({ origin }) => origin === "project"),
        };
      },
    },
    async skillsOf(thread) {
      const { roots, rule } = channelConfigs.instructionsOf(thread);
      await gate.look(channelKeyOf(thread), roots, rule);
      return gate.skills(roots.sandboxRoot, channelKeyOf(thread));
    },
    runs: {
      async channelConfigOf(session) {
        const place = await channelConfigs.channelConfigOf(session);
        await gate.look(session.channelKey, place, channelConfigs.instructionsOf(session.thread).rule);
        return place;
      },
      instructionsOf: layers,
      skillsOf: gate.skills,
    },
  };
}

/** What features may do with messages of runs that have ended. */
export function messagesOfRuns(finaliser: MessageFinaliser): Pick<FeatureHost, "addToFold" | "closeCard"> {
  return {
    addToFold: ({ runId, thread }, words) => finaliser.amend(runId, "live", { thread, words }),
    async closeCard({ runId, hook, thread }, last) {
      await finaliser.close(runId, cardKeyOf(hook), { thread, last });
    },
  };
}

export interface OpenToolbox extends Toolbox {
  readonly sandbox: Sandbox;
  /** Where earlier contents of files are kept, and which files need a person's decision. */
  readonly files: Pick<FileRestoreOptions, "snapshots" | "guardedFiles" | "lock">;
}

/** Opens the tools. MCP servers connect in the background and do not delay the start. */
export async function openToolbox(
  { config, signal, parts, features, platforms, secrets, say, ...world }: ToolboxWorld,
  { providers, ...given }: ToolboxParts,
): Promise<OpenToolbox> {
  const { runtime, log, cluster } = world;
  const snapshots = openSnapshots({ config, runtime, cluster, parts });
  const resolve = createSystemResolve();
  const reach = { resolve, proxyFor: (url: URL) => proxyFor(config.proxy, url) };
  const confinement = await openConfinement(config);
  const { guardedFiles } = config;
  const bounds = { guardedFiles, quotas: given.quotas, lock: cluster.lock, ...confinement };
  const counted = { store: given.store, runtime, settings: config.budgets };
  const sandbox = createSandbox({ log, snapshots, network: reach, ...bounds });
  parts.defer(() => sandbox.close());
  const toolbox = await createToolbox({
    ...given,
    ...world,
    sandbox,
    snapshots,
    ...reach,
    features: (taken) => {
      const host = {
        ...given,
        ...world,
        sandbox,
        snapshots,
        ...reach,
        application: APPLICATION,
        home: config.home,
        version: VERSION,
        database: config.database.kind,
        describe: describePlatform,
        definitions: given.instructions.definitions,
        createEmbedder: createBackgroundEmbedders(embeddersOf(providers.settings, runtime), counted),
        admins: config.access.admins,
        platforms: () => new Map([...platforms].map(([name, platform]) => [name, platform.health()])),
        budgets: config.budgets,
        ...providerKeys(providers, secrets),
        replaceSecrets: secretReplacer(secrets),
        tools: () => toolbox.sources(),
        toolProblems: () => problems(),
        agents: () => given.agents,
        allowedHosts: config.allowedHosts,
        serves: createServedCheck(config.access),
        hideIn: <T>(value: T) => given.secrets.files.hideIn(given.secrets.hideIn(value)),
        titleOf: (name: string, input: unknown) => titleOf(toolbox.tools(), { name, input }),
      };
      return features.open(config.features, { ...host, taken: () => taken }, say);
    },
  });
  const problems = () => [...toolbox.problems(), ...unknownTools(config, knownTools(toolbox))];
  parts.defer(() => toolbox.stop());
  await toolbox.start(signal);
  const known = knownTools(toolbox);
  for (const line of [...unknownTools(config, known), ...unknownToolsOfAgents(given.agents, known)]) say(`⚠ ${line}`);
  return { ...toolbox, problems, sandbox, files: { snapshots, guardedFiles, lock: cluster.lock } };
}

function knownTools({ tools, runs }: Pick<Toolbox, "tools" | "runs">) {
  return { names: tools().map(({ name }) => name), mayAppear: (name: string) => runs.whyMissing(name) !== null };
}

/** Keeps the directory of earlier file contents within its limits. */
function openSnapshots({
  config,
  runtime,
  cluster,
  parts,
}: Pick<ToolboxWorld, "config" | "runtime" | "cluster" | "parts">) {
  const directory = snapshotsOf(config);
  const kept = { directory, clock: runtime.clock };
  parts.defer(cluster.hold("snapshots", (whileHeld) => keepWithinLimits(kept, whileHeld)));
  return directory;
}

function providerKeys(
  providers: LiveProviders,
  secrets: string[],
): Pick<FeatureHost, "providers" | "giveKeys" | "tryKey"> {
  return {
    providers: providers.shown,
    giveKeys(keys) {
      secrets.push(...[...keys.values()].filter((key) => !secrets.includes(key)));
      providers.setKeys(keys);
    },
    async tryKey(id, apiKey) {
      const { checkKey } = await import("./cli/doctor/check-keys.ts");
      if (apiKey !== undefined) return checkKey(id, providers.with(id, apiKey), false);
      return checkKey(id, providers.settings, providers.shown()[id]?.key === "given");
    },
  };
}

/** Readers of the list notice a change by its last value or its length. */
function secretReplacer(secrets: string[]): FeatureHost["replaceSecrets"] {
  return (before, now) => {
    const kept = secrets.filter((secret) => !before.includes(secret) && !now.includes(secret));
    secrets.splice(0, secrets.length, ...kept, ...now);
  };
}

interface QuotaWorld extends Pick<ToolboxWorld, "config" | "runtime" | "log" | "parts"> {
  /** Null if this is the only process. */
  readonly shared: { readonly growth: GrowthLedger } | null;
}

/** Opens the quotas. The figures are read at the first write. */
export function openQuotas({ config, runtime, log, parts, shared }: QuotaWorld): Quotas {
  const { quotas, channels, home, sandbox } = config;
  const { clock } = runtime;
  const opened = createQuotas({
    limits: {
      root: (channelKey) => (channels[channelKey]?.rootMb ?? quotas.rootMb) * MB,
      person: quotas.userMb * MB,
      channel: quotas.channelMb * MB,
    },
    isGiven: (root) => !isWithin(root, sandbox) && !isWithin(root, home),
    ledger: shared?.growth ?? new DayGrowth({ file: path.join(home, "growth.json"), clock, log }),
    clock,
    log,
  });
  parts.defer(() => opened.close());
  return opened;
}

/** How the system confines the sandbox's process; null if these settings turn that off. */
export function confinementOf(config: Config): Confinement | null {
  const { confinement, home, sandbox, channels } = config;
  if (confinement === "off") return null;
  const directories = Object.values(channels).flatMap(({ directory }) => directory ?? []);
  const places = {
    writable: [sandbox, ...directories, ownDirectories(home), snapshotsOf(config)],
    readable: [path.join(home, "bindings"), path.join(APPLICATION, "build")],
    hidden: [home],
  };
  return createConfinement(places, confinement === "required");
}

/** The same for a start. Throws ConfigError if confinement is required but unavailable. */
async function openConfinement(config: Config): Promise<{ readonly confinement?: Confinement }> {
  const confinement = confinementOf(config);
  if (confinement === null) return {};
  const problem = confinement.isRequired ? await confinement.problem() : null;
  if (problem !== null) throw new ConfigError([`confinement: is required, but ${problem}.`]);
  return { confinement };
}
