import { loadConfig, processSources } from "../src/config.ts";
import { titleOf } from "../src/core/agent/tool-decision.ts";
import { toolSpecs } from "../src/core/agent/tool-specs.ts";
import { projected } from "../src/core/context/projection.ts";
import { messagesForModel } from "../src/core/context/request-messages.ts";
import { buildSystemPrompt } from "../src/core/context/system-prompt.ts";
import { textTokens } from "../src/core/context/token-estimate.ts";
import { offeredTools } from "../src/core/permissions/policy.ts";
import { defaultModelFor } from "../src/core/providers/catalog.ts";
import { createProviderRegistry } from "../src/core/providers/registry.ts";
import { openStore, type Store } from "../src/core/store/store.ts";
import type { Tool } from "../src/core/tool.ts";
import { instructionFiles } from "../src/home.ts";
import { createLogger } from "../src/logging.ts";
import { createPlaces } from "../src/places.ts";
import { systemRuntime } from "../src/runtime.ts";
import { createFileTools } from "../src/tools/file-tools.ts";
import { createInstructionReader } from "../src/tools/instruction-layers.ts";
import { createSandbox } from "../src/tools/wasm/sandbox.ts";

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
const config = loadConfig(processSources());
const runtime = systemRuntime();
const log = createLogger({ level: "silent", secrets: [] });
const store = await openStore(config.database.url, runtime);
const sandbox = createSandbox({ log });
try {
  await print(sessionId, store, createFileTools(sandbox));
} finally {
  await sandbox.close();
  await store.close();
}

async function print(id: string, from: Store, tools: readonly Tool[]): Promise<void> {
  const registry = createProviderRegistry({ settings: config.providers, runtime, log });
  const places = createPlaces(config, config.query.model ?? defaultModelFor(registry.available()));
  const place = await places.placeOf(await from.sessions.get(id));
  const { agentDefinition, mode, toolAllow } = place.config;
  const access = { agentName: agentDefinition.name, role: agentDefinition.access, mode };
  const offered = offeredTools(tools, toolAllow === undefined ? access : { ...access, toolAllow });

  part("tools", JSON.stringify(toolSpecs(offered), null, 2));
  const instructions = createInstructionReader({ files: instructionFiles(config), log })(place.sandboxRoot);
  for (const { source, text } of instructions) console.log(`layer ${source}: ${sizeOf(text)}`);
  for (const { text, cacheBreakpoint } of buildSystemPrompt({ ...place, instructions })) {
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
