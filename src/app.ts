import type { PacedPlatform } from "./adapters/render/pacing/paced-platform.ts";
import type { TerminalPlatform } from "./adapters/terminal/adapter.ts";
import type { WebPlatform } from "./adapters/web/adapter.ts";
import { type PageAgents, readPageAgents } from "./agents.ts";
import { agentProblems, isOn, timezoneOf } from "./channel-config.ts";
import { skippedLine } from "./config/stored/apply-stored.ts";
import { EffectiveSettings, SETTINGS_REVISION } from "./config/stored/effective-settings.ts";
import { approvalRulesOf } from "./config/stored/live.ts";
import { connectPlatforms } from "./connect-platforms.ts";
import { createBackgroundCalls } from "./core/budget/background-call.ts";
import { createModelChoice, type ModelChoice } from "./core/budget/model-choice.ts";
import type { ChatCommand } from "./core/command-line/command.ts";
import { CHAT_COMMANDS } from "./core/commands/registry.ts";
import type { SessionHandler } from "./core/engine/engine.ts";
import { createSummaries } from "./core/history/session-summary.ts";
import { createFirstContact } from "./core/inbound/first-contact.ts";
import { createIntake } from "./core/inbound/intake.ts";
import { commandPlaces } from "./core/inbound/typed-commands.ts";
import { KeyedMutex } from "./core/keyed-mutex.ts";
import { MessageFinaliser } from "./core/people/message-finaliser.ts";
import type { ApprovalRules } from "./core/permissions/deciders.ts";
import { createPlatformRights, type PlatformRights } from "./core/permissions/platform-rights.ts";
import type { Receive } from "./core/platform/inbound.ts";
import type { PlatformName } from "./core/platform/thread.ts";
import { type AppError, PlatformError } from "./core/protocol/errors.ts";
import { SessionRunner } from "./core/run/runner.ts";
import { lastActiveAt } from "./core/store/database/sqlite-file.ts";
import { openStore, type Store } from "./core/store/store.ts";
import { FEATURES } from "./features/features.ts";
import { requireOwn } from "./home.ts";
import { createJobs, type Jobs } from "./jobs/jobs.ts";
import { createFeatureList, type FeatureList } from "./open-features.ts";
import { createViews, openPlatforms, openSecrets, openWeb, type PlatformAssembly } from "./open-platforms.ts";
import {
  messagesOfRuns,
  type OpenInstructions,
  type OpenToolbox,
  openInstructions,
  openQuotas,
  openToolbox,
  type ToolboxWorld,
} from "./open-toolbox.ts";
import { EndedRuns } from "./operations/ended-runs.ts";
import { DRAIN_MS, HAND_OVER_MS } from "./operations/stop-times.ts";
import { trackWork, warmUp } from "./operations/warm-up.ts";
import { openEngine, type ProgramEngine } from "./ownership/open-engine.ts";
import { reportState, watchReachability } from "./ownership/other-processes.ts";
import { type Ownership, ownDatabase } from "./ownership/own-database.ts";
import { describePlatform, PLATFORMS } from "./platforms.ts";
import { modelLines, type Prepared, prepare } from "./prepare.ts";
import { saveAttachment } from "./tools/attachments.ts";
import type { Quotas } from "./tools/quotas/quotas.ts";
import { createFileRestore } from "./tools/restore-files.ts";
import { fileSecrets, learnSecretsFrom, type ProgramSecrets } from "./tools/secrets/file-secrets.ts";

/** All commands that people can type, including those of features that are off. */
export function allCommands(features = createFeatureList(FEATURES)): readonly ChatCommand[] {
  return [...CHAT_COMMANDS, ...features.commands];
}

export interface AppOptions extends Pick<ToolboxWorld, "config" | "runtime" | "log" | "secrets" | "say"> {
  /**
   * With `terminals`, the program serves only a conversation on a terminal. The page, jobs and other platforms wait for
   * a program that serves everything, which is the default.
   */
  readonly serves?: "everything" | "terminals";
  /** Called when another process runs on the database and this one starts to wait for it. */
  readonly standBy?: () => void;
  /** Aborts to stop the program. `startApp` then rejects; if it has already resolved, call `stop`. */
  readonly signal: AbortSignal;
}

export interface App {
  /**
   * Resolves with the failure that ended the program from within: a lost lease, or a platform that can never connect.
   */
  readonly failed: Promise<AppError>;
  /** Resolves when this process has been asked to hand over its work and end. */
  readonly drained: Promise<void>;
  /** Serves a terminal at the other end of a stream. */
  readonly attach: TerminalPlatform["attach"];
  stop(): Promise<void>;
}

/** What the parts share while the program is assembled. */
interface Assembly extends StartScope, Ownership {
  readonly runtime: Ownership["runtime"];
}

/** The same, before the process may use the database. */
interface StartScope extends AppOptions, PlatformAssembly {
  readonly settings: EffectiveSettings;
  readonly pageAgents: PageAgents;
  readonly fail: (error: AppError) => void;
  readonly features: FeatureList;
  /** Resolves with the function that receives people's events, once it is ready. */
  readonly receiving: PromiseWithResolvers<Receive>;
  readonly draining: PromiseWithResolvers<void>;
}

/** Assembles and starts all parts. This is the only place that knows them all. They stop in reverse order. */
export async function startApp(options: AppOptions): Promise<App> {
  const failing = Promise.withResolvers<AppError>();
  const features = createFeatureList(FEATURES);
  const pageAgents: PageAgents = { texts: new Map() };
  const settings = new EffectiveSettings(options.config, (config) => agentProblems(config, pageAgents));
  const assembly: StartScope = {
    ...options,
    config: settings.config,
    settings,
    pageAgents,
    features,
    commands: allCommands(features),
    parts: new AsyncDisposableStack(),
    platforms: new Map(),
    writes: new KeyedMutex(),
    ended: new EndedRuns(),
    status: { state: "starting", engine: null, store: null, ownership: null, storeFailure: null },
    fail: failing.resolve,
    receiving: Promise.withResolvers(),
    draining: Promise.withResolvers(),
  };
  try {
    const terminal = await assemble(assembly);
    const attach: App["attach"] = (stream) => terminal.attach(stream);
    const { promise: drained } = assembly.draining;
    return { failed: failing.promise, drained, attach, stop: () => assembly.parts.disposeAsync() };
  } catch (error) {
    await assembly.parts.disposeAsync();
    throw error;
  }
}

async function assemble(alone: StartScope): Promise<TerminalPlatform> {
  const { config, settings, status, say } = alone;
  await requireOwn(config.home, "DECKHAND_HOME");
  await requireOwn(config.sandbox, "DECKHAND_SANDBOX");
  const opening = Promise.withResolvers<Store>();
  const web = alone.serves !== "terminals" ? await openWeb(alone, opening.promise) : null;
  const standBy = () => {
    status.state = "standing by";
    alone.standBy?.();
  };
  const drain = () => {
    status.state = "draining";
    alone.draining.resolve();
  };
  const assembly: Assembly = { ...alone, ...(await ownDatabase({ ...alone, standBy, drain })) };
  const { runtime } = assembly;
  status.ownership = assembly;
  status.state = "starting";
  const shared = assembly.shared?.rates ?? null;
  const emptyAt = shared === null ? await lastActiveAt(config.database.url, runtime.clock.now()) : null;
  const secrets = { ...(await openSecrets(assembly)), files: fileSecrets() };
  const store = learnSecretsFrom(
    await openStore(config.database.url, runtime, { isShared: isShared(assembly) }),
    secrets.files,
  );
  assembly.parts.defer(() => store.close());
  status.store = store;
  opening.resolve(store);
  const revision = await store.revisions.newest(SETTINGS_REVISION);
  await readPageAgents(store, assembly.pageAgents);
  if (revision !== null) settings.begin(revision);
  const prepared = prepare(config, assembly);
  prepared.channelConfigs.requireAgents();
  for (const line of [...settings.skipped.map(skippedLine), ...prepared.problems]) say(`⚠ ${line}`);

  const terminal = await openPlatforms(assembly, { web, store, secrets, spent: { emptyAt, shared } });
  await run(assembly, { store, secrets, ...prepared }, { web, terminal });
  status.state = "running";
  if (web !== null) say(`✓ Deckhand is running. Web page: ${web.entryUrl()}`);
  for (const line of modelLines(config, prepared)) say(line);
  return terminal;
}

/**
 * Whether the store sets its connections up for sharing. Not behind a pooler, where the settings of a connection would
 * affect other clients; there they are made for the database user.
 */
function isShared({ config: { database }, shared }: Assembly): boolean {
  return shared !== null && database.url === database.directUrl;
}

interface Services extends Prepared {
  readonly store: Store;
  readonly secrets: ProgramSecrets;
}

interface Works extends Services {
  readonly rights: PlatformRights;
  readonly platform: (name: PlatformName) => PacedPlatform;
  readonly engine: ProgramEngine;
  readonly approvals: ApprovalRules;
  readonly finaliser: MessageFinaliser;
  readonly models: ModelChoice;
  readonly instructions: OpenInstructions;
  readonly toolbox: OpenToolbox;
  readonly jobs: Jobs;
  readonly quotas: Quotas;
}

/** Connects the platforms to the engine, and continues what an earlier process left. */
async function run(
  assembly: Assembly,
  services: Services,
  { web, terminal }: { readonly web: WebPlatform | null; readonly terminal: TerminalPlatform },
): Promise<void> {
  const { parts, say, cluster } = assembly;
  const works = await openWorks(assembly, services);
  const { engine, jobs, store, models, toolbox, finaliser } = works;
  const features = assembly.features.opened();
  const summaries = createSummaries({ store, models, ...services.channelConfigs, tools: () => toolbox.tools() });
  web?.provide({
    summaries,
    jobs: jobs.control,
    panels: features?.panels ?? [],
    routes: features?.routes ?? new Map(),
    sessions: features?.sessions ?? null,
    logins: features?.logins ?? null,
    onThreadErased: (listener) => features?.onThreadErased(listener),
    cluster,
  });
  terminal.provide({ summaries, cluster });
  const { clock } = assembly.runtime;
  const receive = openIntake(assembly, works);
  assembly.receiving.resolve(receive);
  await connectPlatforms(assembly.platforms.values(), {
    ...assembly,
    store,
    finaliser,
    workspaces: works.rights.workspaces,
    receive,
    clock,
    timezone: timezoneOf(assembly.config),
    onStored: (failure) => {
      assembly.status.storeFailure = failure;
    },
  });
  await assembly.reach?.require(assembly.signal);
  parts.defer(() => engine.stop(assembly.status.state === "draining" ? HAND_OVER_MS : DRAIN_MS));
  const { handler, hasWorked } = trackWork(openRunner(assembly, works));
  await engine.start(handler);
  watchReachability(assembly);
  reportState({ ...assembly, engine });
  if (assembly.serves === "terminals") return;
  parts.defer(() => jobs.stop());
  for (const problem of await jobs.start()) say(`⚠ ${problem}`);
  const warming = warmUp(
    { ...assembly, ...works, model: works.model(), skills: works.instructions.all, hasWorked },
    assembly.signal,
  );
  parts.defer(() => warming);
}

async function openWorks(assembly: Assembly, services: Services): Promise<Works> {
  const { config, runtime, log, platforms, status } = assembly;
  const { store, model: usualModel } = services;
  const platform = (name: PlatformName): PacedPlatform => {
    const found = platforms.get(name);
    if (found !== undefined) return found;
    throw new PlatformError("platform_failed", `${name} is not configured`, {
      detail: { platform: describePlatform(name).title },
    });
  };
  const isServed = (name: PlatformName) => platforms.has(name);
  const engine = await openEngine({ ...assembly, store, target: platform, isServed });
  status.engine = engine;
  const approvals = approvalRulesOf(config);
  const instructions = openInstructions({ config, log, store, channelConfigs: services.channelConfigs });
  const models = createModelChoice(services.registry, services.providers.settings, config.budgets);
  const { agents, configOf, sandboxRootOf } = services.channelConfigs;
  const toolNames = () => toolbox.listed().map(({ name }) => name);
  const rights = createPlatformRights(platforms, { store, access: config.access, clock: runtime.clock, log });
  const jobs = openJobs(assembly, { ...services, rights, platform, engine, models, instructions, toolNames });
  const receive: Receive = async (event) => (await assembly.receiving.promise)(event);
  const callModel = createBackgroundCalls(services.registry, { store, runtime, settings: config.budgets });
  const finaliser = new MessageFinaliser({ store, clock: runtime.clock, log, platform, signal: assembly.signal });
  const asking = { configOf, sandboxRootOf, usualModel, callModel, receive, ...rights, ...messagesOfRuns(finaliser) };
  const { providers } = services;
  const given = { store, providers, engine, approvals, instructions, jobs: jobs.control, agents, models, ...asking };
  const quotas = openQuotas(assembly);
  const toolbox = await openToolbox(assembly, { ...given, secrets: services.secrets, quotas });
  return { ...services, quotas, rights, platform, engine, approvals, finaliser, models, instructions, toolbox, jobs };
}

interface JobParts extends Services, Pick<Works, "rights" | "platform" | "engine" | "models" | "instructions"> {
  readonly toolNames: () => readonly string[];
}

function openJobs(assembly: Assembly, given: JobParts): Jobs {
  const { config, features } = assembly;
  const { store, rights, platform, engine, models, channelConfigs, instructions, toolNames } = given;
  return createJobs({
    ...assembly,
    store,
    engine,
    access: config.access,
    approvals: config.approvals,
    agentOf: channelConfigs.agentOf,
    agents: () => new Set(channelConfigs.agents.keys()),
    models,
    skillsOf: (thread) => instructions.all(channelConfigs.sandboxRootOf(thread)),
    tools: toolNames,
    ...rights,
    platforms: PLATFORMS,
    isOn: (name) => isOn(config, name),
    defaultTimezone: timezoneOf(config),
    isTimezoneSet: config.jobs.timezone !== undefined,
    readDeclared: async () => (await features.opened()?.readJobs()) ?? [],
    logDays: config.jobs.logDays,
    audit: async (entry) => features.opened()?.audit(entry),
    announce: (thread, message, key) => platform(thread.platform).post(thread, message, key),
  });
}

function openIntake({ config, runtime, log, commands, features, cluster }: Assembly, works: Works): Receive {
  const { store, engine, rights, approvals, models, channelConfigs, platform, instructions, toolbox, jobs, quotas } =
    works;
  return createIntake({
    store,
    engine,
    runtime,
    log,
    commands,
    access: config.access,
    workspaceRefusal: rights.workspaces.refusalOf,
    cluster,
    approvals,
    allowedHosts: config.allowedHosts,
    models,
    jobs: jobs.control,
    tools: () => Promise.resolve(toolbox.listed()),
    toolProblems: () => toolbox.problems(),
    delegate: toolbox.runs.delegate,
    skillsOf: instructions.skillsOf,
    ...commandPlaces(platform),
    firstContact: createFirstContact({
      store,
      runtime,
      log,
      platform,
      cluster,
      admins: config.access.admins,
      allowedHosts: config.allowedHosts,
      ...channelConfigs,
    }),
    describe: describePlatform,
    hooks: () => features.opened()?.hooks ?? [],
    canSeeChannel: rights.canSeeChannel,
    restoreFiles: createFileRestore({ ...toolbox.files, quotas, ...channelConfigs }),
    ...channelConfigs,
  });
}

function openRunner({ config, runtime, log, features, ended, cluster }: Assembly, works: Works): SessionHandler {
  const { finaliser, store, engine, approvals, registry, platform, instructions, toolbox, jobs, quotas } = works;
  const watchers = () => features.opened()?.watchers ?? [];
  return new SessionRunner({
    store,
    runtime,
    log,
    registry,
    budgets: config.budgets,
    approvals,
    finaliser,
    cluster,
    engine,
    ...toolbox.runs,
    hooks: () => [ended.hook, ...(features.opened()?.hooks ?? [])],
    platform,
    openView: createViews({ runtime, log, platform, openJobRun: jobs.openRun, watchers }),
    ...instructions.runs,
    saveAttachment: (place, name, data) => saveAttachment({ place, name, data, log, quotas }),
  });
}
