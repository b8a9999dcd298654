import { APPLICATION, VERSION } from "./version.ts";

const { createProgram } = await import("./cli/program.ts");
const { processTerminal } = await import("./cli/terminal.ts");
const { processSources } = await import("./config.ts");
const { CHAT_COMMANDS } = await import("./core/commands/registry.ts");
const terminal = processTerminal();

await createProgram({
  version: VERSION,
  root: APPLICATION,
  terminal,
  sources: processSources(),
  chatCommands: CHAT_COMMANDS,
  start: async (config) => {
    const { runUntilStopped } = await import("./run-until-stopped.ts");
    await runUntilStopped(config, terminal);
  },
  lookAtServers: async (config) => {
    const { lookAtServers } = await import("./app.ts");
    return lookAtServers(config);
  },
  lookAtJobs: async (config, places) => {
    const { lookAtJobs } = await import("./app.ts");
    return lookAtJobs(config, places);
  },
}).parseAsync();
