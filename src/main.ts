import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

const root = path.resolve(import.meta.dirname, "..");
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")));
const { createProgram } = await import("./cli/program.ts");
const { processTerminal } = await import("./cli/terminal.ts");
const { processSources } = await import("./config.ts");
const { CHAT_COMMANDS } = await import("./core/commands/registry.ts");
const terminal = processTerminal();

await createProgram({
  version,
  root,
  terminal,
  sources: processSources(),
  chatCommands: CHAT_COMMANDS,
  start: async (config) => {
    const { runUntilStopped } = await import("./run-until-stopped.ts");
    await runUntilStopped(config, terminal);
  },
}).parseAsync();
