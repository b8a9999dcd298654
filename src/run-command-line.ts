import { APPLICATION, VERSION } from "./version.ts";

/** Runs the command line of this process. Loads only what the command needs. */
export async function runCommandLine(): Promise<void> {
  const { createProgram } = await import("./cli/program.ts");
  const { processTerminal } = await import("./cli/terminal.ts");
  const { processSources } = await import("./config.ts");
  const { SUBCOMMANDS } = await import("./features/subcommands.ts");
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
    subcommands: SUBCOMMANDS,
    subcommandWorld: async (config) =>
      (await import("./run-on-store.ts")).subcommandWorld(config, { terminal, stdin: process.stdin }),
    withStored: async (config) => (await import("./run-on-store.ts")).withStored(config),
    onCurrentStore: async (config, use) => (await import("./run-on-store.ts")).onCurrentStore(config, use),
    drain: async (config, request) => {
      const { runDrain } = await import("./ownership/drain.ts");
      await runDrain(config, request, { terminal, clock: systemRuntime().clock });
    },
    webLink: async (config) => {
      const { anotherWebLink } = await import("./open-platforms.ts");
      return anotherWebLink(config, Date.now());
    },
    isRunning: async (config) => (await import("./open-platforms.ts")).isRunning(config),
  }).parseAsync();
}
