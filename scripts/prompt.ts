import { loadAgents } from "../src/agents.ts";
import { FEATURES } from "../src/app.ts";
import { loadConfig, processSources } from "../src/config.ts";
import { titleOf } from "../src/core/agent/tool-decision.ts";
import { toolSpecs } from "../src/core/agent/tool-specs.ts";
import { deferTools, foundTools, TOOL_SEARCH } from "../src/core/context/deferred-tools.ts";
import { planSection } from "../src/core/context/plan-section.ts";
import { projected } from "../src/core/context/projection.ts";
import { messagesForModel } from "../src/core/context/request-messages.ts";
import { buildSystemPrompt } from "../src/core/context/system-prompt.ts";
import { textTokens } from "../src/core/context/token-estimate.ts";
import { offeredTools } from "../src/core/permissions/policy.ts";
import { defaultModelFor } from "../src/core/providers/catalog.ts";
import { createProviderRegistry } from "../src/core/providers/registry.ts";
import { narrowedTo, skillsOfRun, toolsOfSkills } from "../src/core/run/run-skills.ts";
import { openStore, type Store } from "../src/core/store/store.ts";
import type { Tool } from "../src/core/tool.ts";
import { instructionFiles } from "../src/home.ts";
import { createLogger } from "../src/logging.ts";
import { createFeatureList } from "../src/open-features.ts";
import { createPlaces } from "../src/places.ts";
import { systemRuntime } from "../src/runtime.ts";
import { createExecutorCopies } from "../src/tools/copies/executor-copies.ts";
import { createInstructionReader } from "../src/tools/instructions/instruction-layers.ts";
import { createSkillReader } from "../src/tools/skills/skill-reader.ts";
import { createToolbox } from "../src/tools/toolbox.ts";
import { createSandbox } from "../src/tools/wasm/sandbox.ts";
import { APPLICATION, VERSION } from "../src/version.ts";

/**
 * Prints the prompt of a session as its next model call carries it, each part with its size:
 *
 *     npm run prompt -- <session id>
 */

const [sessionId] = process.argv.slice(2);
if (sessionId === undefined) {
  console.error("usage: npm run prompt -- <session id>   (the log names a session's id with each of its runs)");
  process.exit(2);
}
const config = loadConfig(processSources(), FEATURES);
const runtime = systemRuntime();
const log = createLogger({ level: "silent", secrets: [] });
const store = await openStore(config.database.url, runtime);
const sandbox = createSandbox({ log });
const skills = createSkillReader({ applicationDir: APPLICATION, homeDir: config.home, log });
try {
  const isKnown = (await store.sessions.applicantsOf([sessionId])).length > 0;
  if (isKnown) await print(sessionId, store);
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

/** Tools that are only described here: what they would reach is not there. */
async function describedTools(from: Store): Promise<readonly Tool[]> {
  const absent = () => Promise.reject(new Error("nothing is carried out here"));
  const host = {
    store: from,
    runtime,
    log,
    sandbox,
    resolve: absent,
    engine: { deliver: absent, deliverAt: absent, cancel: absent },
    approvals: { ...config.approvals, admins: config.access.admins },
    version: VERSION,
    application: APPLICATION,
    home: config.home,
  };
  const toolbox = await createToolbox({
    ...host,
    snapshots: `${config.home}/snapshots`,
    skills,
    agents: loadAgents(config).byName,
    models: { problemWith: absent },
    copies: createExecutorCopies(config.home),
    jobs: { preview: absent, add: absent, list: absent, act: absent, view: absent },
    features: (taken) =>
      createFeatureList(FEATURES).open({ ...host, configured: config.features, say: () => {}, taken: () => taken }),
  });
  return toolbox.tools();
}

async function print(id: string, from: Store): Promise<void> {
  const registry = createProviderRegistry({ settings: config.providers, runtime, log });
  const places = createPlaces(config, config.query.model ?? defaultModelFor(registry.available()));
  const session = await from.sessions.get(id);
  const place = await places.placeOf(session);
  const { settings } = session;
  const catalogue = skills(place.sandboxRoot);
  const inForce = skillsOfRun(catalogue, settings);
  const narrowing = toolsOfSkills({ body: { kind: "timer", timerId: "" }, settings }, () => catalogue);
  const plan = planSection(await from.plans.of(id));
  const { agentDefinition, mode, toolAllow } = narrowedTo(narrowing, place.config);
  const access = { agentName: agentDefinition.name, role: agentDefinition.access, mode };
  const allowed = toolAllow === undefined ? access : { ...access, toolAllow };
  const found = foundTools(await from.toolCalls.carried(id, TOOL_SEARCH));
  const { offered } = deferTools(offeredTools(await describedTools(from), allowed), found);

  part("tools", JSON.stringify(toolSpecs(offered), null, 2));
  const instructions = createInstructionReader({ files: instructionFiles(config), log })(place);
  for (const { source, text } of instructions) console.log(`layer ${source}: ${sizeOf(text)}`);
  for (const { text, cacheBreakpoint } of buildSystemPrompt({
    ...place,
    instructions,
    skills: inForce.index,
    active: [plan, inForce.active],
  })) {
    part(cacheBreakpoint ? "system, up to a cache breakpoint" : "system, below the cache boundary", text);
  }

  const { projection } = await from.compactions.newestOf(id);
  const titles = (use: Parameters<typeof titleOf>[1]) =>
    titleOf(
      offered.find(({ name }) => name === use.name),
      use,
    );
  const sent = messagesForModel(projected(await from.messages.list(id), projection, titles));
  part(`${sent.length} messages`, sent.map(({ role, content }) => JSON.stringify({ role, content })).join("\n"));
}

function part(title: string, text: string): void {
  console.log(`\n=== ${title}: ${sizeOf(text)} ===\n${text}`);
}

function sizeOf(text: string): string {
  return `${text.length} characters, about ${Math.ceil(textTokens(text))} tokens`;
}
