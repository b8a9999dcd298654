import { agentProblems, createChannelConfigs } from "../src/channel-config.ts";
import { EffectiveSettings } from "../src/config/stored/effective-settings.ts";
import { loadConfig, processSources } from "../src/config.ts";
import { titleOf } from "../src/core/agent/tool-decision.ts";
import { toolSpecs } from "../src/core/agent/tool-specs.ts";
import { deferTools } from "../src/core/context/deferred-tools.ts";
import { planSection } from "../src/core/context/plan-section.ts";
import { projectHistory } from "../src/core/context/projection.ts";
import { messagesForModel } from "../src/core/context/request-messages.ts";
import { buildSystemPrompt } from "../src/core/context/system-prompt.ts";
import { textTokens } from "../src/core/context/token-estimate.ts";
import { narrowConfigTools, skillsOfRun, toolsOfSkills } from "../src/core/input/run-skills.ts";
import { offeredTools } from "../src/core/permissions/tool-access.ts";
import { defaultModelFor } from "../src/core/providers/catalog.ts";
import { createProviderRegistry } from "../src/core/providers/registry/registry.ts";
import type { ChannelConfig } from "../src/core/run/runner-options.ts";
import type { SessionRow } from "../src/core/store/sessions.ts";
import { openStore, type Store } from "../src/core/store/store.ts";
import { secretMasking } from "../src/core/text/secret-masking.ts";
import type { Tool } from "../src/core/tool.ts";
import { FEATURES } from "../src/features/features.ts";
import { createFeatureList } from "../src/open-features.ts";
import { openInstructions } from "../src/open-toolbox.ts";
import { createLogger } from "../src/operations/logging.ts";
import { onlyProcess } from "../src/ownership/only-process.ts";
import { describePlatform } from "../src/platforms.ts";
import { systemRuntime } from "../src/runtime.ts";
import { fileSecrets } from "../src/tools/secrets/file-secrets.ts";
import { createToolbox } from "../src/tools/toolbox.ts";
import { createSandbox } from "../src/tools/wasm/sandbox.ts";
import { APPLICATION, VERSION } from "../src/version.ts";

/**
 * Prints the size of a new session's first request in bytes, by tool and part of the system prompt; or the prompt of a
 * session as its next model call carries it:
 *
 * npm run prompt     npm run prompt -- <session id>
 */

const [sessionId] = process.argv.slice(2);
const config = loadConfig(processSources(), FEATURES);
const runtime = systemRuntime();
const log = createLogger("silent", []);
const store = await openStore(config.database.url, runtime);
const sandbox = createSandbox({ log });
const registry = createProviderRegistry({ settings: config.providers, runtime, log });
const channelConfigs = createChannelConfigs(config, () => config.query.model ?? defaultModelFor(registry.available()));
const instructions = openInstructions({ config, log, store, channelConfigs });
const NO_JOBS = {
  preview: absent,
  add: absent,
  list: absent,
  overview: absent,
  overviewOf: absent,
  declared: { platforms: new Map(), check: absent, apply: absent, removeExcept: absent },
  act: absent,
  edit: absent,
  form: absent,
  view: absent,
};

/** Substitutes for what only the page and people would use. */
const NOBODY = {
  jobs: NO_JOBS,
  createEmbedder: absent,
  admins: [],
  platforms: () => new Map(),
  budgets: {},
  providers: () => ({}),
  tools: () => [],
  toolProblems: () => [],
  agents: () => new Map(),
  allowedHosts: [],
  giveKeys: () => {},
  tryKey: absent,
  quotas: { begin: absent, ready: absent, take: () => {}, give: () => {}, close: async () => {} },
};

try {
  if (sessionId === undefined) await printSizes(store);
  else if ((await store.sessions.applicantsOf([sessionId])).length > 0) await printSession(sessionId, store);
  else {
    console.error(
      `There is no session ${sessionId} in this database; the log names a session's id with each of its runs.`,
    );
    process.exitCode = 1;
  }
} finally {
  await sandbox.close();
  await store.close();
}

function absent(): Promise<never> {
  return Promise.reject(new Error("nothing is carried out here"));
}

/** Tools that are only described: their dependencies are missing, and MCP servers are not connected. */
async function describedTools(from: Store): Promise<readonly Tool[]> {
  const host = {
    store: from,
    runtime,
    log,
    cluster: onlyProcess({ clock: runtime.clock, log }),
    sandbox,
    resolve: absent,
    engine: { deliver: absent, deliverAt: absent, cancel: absent },
    approvals: { ...config.approvals, admins: config.access.admins },
    version: VERSION,
    application: APPLICATION,
    home: config.home,
    database: "sqlite" as const,
    describe: describePlatform,
    membershipOf: absent,
    canSeeChannel: absent,
    memberOf: absent,
    receive: absent,
    serves: () => false,
    hideIn: <T>(value: T) => value,
    replaceSecrets: () => {},
    proxyFor: () => null,
    titleOf: () => "",
    callModel: absent,
    addToFold: absent,
    closeCard: absent,
    instructions,
    definitions: instructions.definitions,
    sandboxRootOf: () => "",
    snapshots: "",
    usualModel: () => "",
    configOf: () => {
      throw new Error("no run asks for it");
    },
    ...NOBODY,
    settings: new EffectiveSettings(config, agentProblems),
    otherSettings: { lines: () => [] },
  };
  const toolbox = await createToolbox({
    ...host,
    secrets: { ...secretMasking([]), files: fileSecrets() },
    snapshots: `${config.home}/snapshots`,
    agents: channelConfigs.agents,
    models: { problemWith: absent },
    features: (taken) => createFeatureList(FEATURES).open(config.features, { ...host, taken: () => taken }, () => {}),
  });
  await toolbox.start(AbortSignal.abort());
  try {
    return toolbox.tools();
  } finally {
    await toolbox.stop();
  }
}

/** The place of a new session, or of the given one. */
async function placeOf(session: SessionRow | null): Promise<Place> {
  if (session !== null) {
    const place = await channelConfigs.channelConfigOf(session);
    await instructions.look(session.channelKey, place, channelConfigs.instructionsOf(session.thread).rule);
    return { ...place, channelKey: session.channelKey };
  }
  const channelKey = "slack:C0001";
  await instructions.look(channelKey, { sandboxRoot: config.sandbox }, { isRepository: false, asks: false });
  return {
    channelKey,
    config: channelConfigs.configOf({ channelKey, agent: channelConfigs.agentOf(channelKey), settings: {} }),
    sandboxRoot: config.sandbox,
    place: { platform: "Slack", channel: "C0001" },
  };
}

type Place = Pick<ChannelConfig, "config" | "sandboxRoot" | "above" | "place"> & Pick<SessionRow, "channelKey">;

/** The prefix of every request of a session. */
async function prefixOf(session: SessionRow | null, from: Store) {
  const place = await placeOf(session);
  const settings = session?.settings ?? {};
  const catalogue = instructions.skills(place.sandboxRoot, place.channelKey);
  const inForce = skillsOfRun(catalogue, settings);
  const narrowing = toolsOfSkills({ body: { kind: "resume", of: "nothing" }, settings }, () => catalogue);
  const plan = session === null ? null : await from.plans.of(session.id);
  const { agentDefinition, mode, toolAllow } = narrowConfigTools(narrowing, place.config);
  const access = { agentName: agentDefinition.name, role: agentDefinition.access, mode };
  const allowed = toolAllow === undefined ? access : { ...access, toolAllow };
  const offered = deferTools(offeredTools(await describedTools(from), allowed));
  const layers = instructions.layers(place, place.channelKey);
  const system = buildSystemPrompt({
    ...place,
    instructions: layers,
    skills: inForce.index,
    active: [planSection(plan), inForce.active],
  });
  return { offered, layers, system };
}

/** Prints the size of a new session's first request before any message, as JSON. */
async function printSizes(from: Store): Promise<void> {
  const { offered, system } = await prefixOf(null, from);
  const specs = toolSpecs(offered);
  const sizes = [
    ...specs.map((spec) => [spec.name, bytesOf(spec)] as const),
    ...system.map(({ text }, index) => [`system prompt, part ${index + 1}`, bytesOf(text)] as const),
  ];
  for (const [title, bytes] of sizes) console.log(`${String(bytes).padStart(7)}  ${title}`);
  console.log(`${String(sizes.reduce((sum, [, bytes]) => sum + bytes, 0)).padStart(7)}  bytes in all`);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

async function printSession(id: string, from: Store): Promise<void> {
  const { offered, layers, system } = await prefixOf(await from.sessions.get(id), from);
  part("tools", JSON.stringify(toolSpecs(offered), null, 2));
  for (const { source, text } of layers) console.log(`layer ${source}: ${sizeOf(text)}`);
  for (const { text, cacheBreakpoint } of system) {
    part(cacheBreakpoint ? "system, up to a cache breakpoint" : "system, below the cache boundary", text);
  }

  const { projection } = await from.compactions.newestOf(id);
  const history = projectHistory(await from.messages.list(id), projection, (use) => titleOf(offered, use));
  const sent = messagesForModel(history);
  part(`${sent.length} messages`, sent.map(({ role, content }) => JSON.stringify({ role, content })).join("\n"));
}

function part(title: string, text: string): void {
  console.log(`\n=== ${title}: ${sizeOf(text)} ===\n${text}`);
}

function sizeOf(text: string): string {
  return `${text.length} characters, about ${Math.ceil(textTokens(text))} tokens`;
}
