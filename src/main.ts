import { APPLICATION, VERSION } from "./version.ts";

const { createProgram } = await import("./cli/program.ts");
const { processTerminal } = await import("./cli/terminal.ts");
const { processSources } = await import("./config.ts");
const terminal = processTerminal();

await createProgram({
  version: VERSION,
  root: APPLICATION,
  terminal,
  sources: processSources(),
  features: async () => (await import("./app.ts")).FEATURES,
  chatCommands: async () => (await import("./app.ts")).allCommands(),
  start: async (config) => {
    const { runUntilStopped } = await import("./run-until-stopped.ts");
    await runUntilStopped(config, terminal);
  },
  lookAtJobs: async (config, places) => {
    const { lookAtJobs } = await import("./app.ts");
    return lookAtJobs(config, places);
  },
}).parseAsync();
