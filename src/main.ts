import { APPLICATION, VERSION } from "./version.ts";

const { createProgram } = await import("./cli/program.ts");
const { processTerminal } = await import("./cli/terminal.ts");
const { processSources } = await import("./config.ts");
const { systemRuntime } = await import("./runtime.ts");
const terminal = processTerminal();
const sources = processSources();

await createProgram({
  version: VERSION,
  root: APPLICATION,
  terminal,
  sources,
  features: async () => (await import("./features/features.ts")).FEATURES,
  chatCommands: async () => (await import("./app.ts")).allCommands(),
  start: async (config) => {
    const { runUntilStopped } = await import("./run-until-stopped.ts");
    await runUntilStopped(config, terminal);
  },
  stdin: process.stdin,
  chat: async (config, request) => {
    const { runChat, processIo } = await import("./run-chat.ts");
    process.exit(await runChat(config, request, processIo(sources.env)));
  },
  memory: async (config, request) => {
    const { runMemory } = await import("./run-on-store.ts");
    await runMemory(config, request, terminal);
  },
  user: async (config, request) => {
    const { runUser } = await import("./run-on-store.ts");
    await runUser(config, request, { terminal, stdin: process.stdin });
  },
  keys: async (config, request) => {
    const { runKeys } = await import("./run-on-store.ts");
    await runKeys(config, request, { terminal, stdin: process.stdin });
  },
  data: async (config, request) => {
    const { runData } = await import("./run-on-store.ts");
    await runData(config, request, terminal);
  },
  drain: async (config, request) => {
    const { runDrain } = await import("./ownership/drain.ts");
    await runDrain(config, request, { terminal, clock: systemRuntime().clock });
  },
  webLink: async (config) => {
    const { anotherWebLink } = await import("./open-platforms.ts");
    return anotherWebLink(config, Date.now());
  },
  settings: async (config, request) => {
    const { runSettings } = await import("./run-on-store.ts");
    await runSettings(config, request, terminal);
  },
  withStored: async (config) => {
    const { withStored } = await import("./run-on-store.ts");
    return withStored(config);
  },
  lookAtJobs: async (...looked) => {
    const { lookAtJobs } = await import("./app.ts");
    return lookAtJobs(...looked);
  },
}).parseAsync();
