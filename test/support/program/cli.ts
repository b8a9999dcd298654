import path from "node:path";
import { Readable } from "node:stream";
import { CommanderError } from "commander";
import type { ChatCommandOptions, ChatCommandRequest } from "../../../src/cli/chat.ts";
import type { RegisteredCommand } from "../../../src/cli/manifest/slack-manifest.ts";
import { createProgram } from "../../../src/cli/program.ts";
import type { Config } from "../../../src/config.ts";
import { FEATURES } from "../../../src/features/features.ts";
import { SUBCOMMANDS } from "../../../src/features/subcommands.ts";
import { anotherWebLink, isRunning } from "../../../src/open-platforms.ts";
import { runDrain } from "../../../src/ownership/drain.ts";
import { onCurrentStore, subcommandWorld, withStored } from "../../../src/run-on-store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { tempDirectory } from "../temp-directory.ts";

export interface CliGiven {
  readonly root?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly chatCommands?: readonly RegisteredCommand[];
  readonly start?: (config: Config) => unknown;
  readonly stdin?: ChatCommandOptions["stdin"];
  /** Receives each printed line at once. */
  readonly said?: (line: string) => void;
  readonly chat?: (config: Config, request: ChatCommandRequest) => unknown;
}

/** Output of the command line. `failed` means a non-zero exit code. */
export interface CliResult {
  readonly out: string;
  readonly error: string;
  readonly failed: boolean;
}

/** Runs one command line in this process. */
export async function runCli(args: readonly string[], given: CliGiven = {}): Promise<CliResult> {
  const out: string[] = [];
  const error: string[] = [];
  let failed = false;
  const terminal = {
    out: (line: string) => {
      out.push(line);
      given.said?.(line);
    },
    error: (line: string) => void error.push(line),
    fail: () => {
      failed = true;
    },
  };
  const cwd = given.cwd ?? tempDirectory();
  const program = createProgram({
    version: "1.2.3",
    root: given.root ?? path.resolve(import.meta.dirname, "../../.."),
    sources: { env: given.env ?? {}, cwd },
    terminal,
    chatCommands: () => Promise.resolve(given.chatCommands ?? []),
    start: async (config) => {
      await given.start?.(config);
    },
    features: () => Promise.resolve(FEATURES),
    stdin: given.stdin ?? Object.assign(Readable.from([]), { isTTY: true }),
    chat: async (config, request) => {
      await given.chat?.(config, request);
    },
    subcommands: SUBCOMMANDS,
    subcommandWorld: (config) =>
      Promise.resolve(subcommandWorld(config, { terminal, stdin: given.stdin ?? Readable.from([]) })),
    drain: (config, request) => runDrain(config, request, { terminal, clock: systemRuntime().clock }),
    withStored: (config) => withStored(config),
    onCurrentStore,
    webLink: (config) => anotherWebLink(config, Date.now()),
    isRunning,
  });
  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) command.exitOverride();
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    failed = thrown.exitCode !== 0;
  }
  return { out: out.join("\n"), error: error.join("\n"), failed };
}
