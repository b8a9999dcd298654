import { Command, InvalidArgumentError, Option } from "commander";
import { suggestion } from "../config/problems.ts";
import type { Config } from "../config/resolve.ts";
import { loadConfig } from "../config.ts";
import { ConfigError } from "../core/protocol/errors.ts";
import { useProxy } from "../operations/proxy.ts";
import { describePlatform } from "../platforms.ts";
import { addChat, type ChatCommandOptions, type ChatCommandRequest } from "./chat.ts";
import { type DoctorOptions, doctor } from "./doctor/doctor.ts";
import { addDrain, type DrainRequest } from "./drain.ts";
import { init } from "./init.ts";
import { discordInvite } from "./manifest/discord-invite.ts";
import { type RegisteredCommand, slackManifest } from "./manifest/slack-manifest.ts";
import type { AddSubcommand, SubcommandWorld } from "./subcommand.ts";

export interface ProgramOptions extends Omit<DoctorOptions, "online"> {
  /** The commands that the Slack manifest registers as slash commands. */
  readonly chatCommands: () => Promise<readonly RegisteredCommand[]>;
  start(config: Config): Promise<void>;
  /** Piped input of the program. */
  readonly stdin: ChatCommandOptions["stdin"];
  chat(config: Config, request: ChatCommandRequest): Promise<void>;
  readonly subcommands: readonly AddSubcommand[];
  readonly subcommandWorld: (config: Config) => Promise<SubcommandWorld>;
  drain(config: Config, request: DrainRequest): Promise<void>;
  /** A new link that opens the web page; null if the settings do not fix its port. */
  webLink(config: Config): Promise<string | null>;
}

/** The command line. Without a command, `start` runs. */
export function createProgram(options: ProgramOptions): Command {
  const { terminal, sources, root } = options;
  const program = new Command("deckhand")
    .description("A chat-ops agent for Slack, Discord and a web page.")
    .version(options.version)
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.error(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /u, "✗ ")),
    })
    .addHelpText("after", "\nSettings: .env and deckhand.config.json; see docs/configuration.md.");

  program
    .command("start", { isDefault: true })
    .description("connect to every platform that has tokens, and serve the web page")
    .allowExcessArguments()
    .action((_options: object, command: Command) => {
      const [unknown] = command.args;
      if (unknown === undefined) return withConfig(options, (config) => options.start(config));
      const known = program.commands.map((one) => one.name());
      return program.error(`✗ There is no command "${unknown}".${suggestion(unknown, known)}`);
    });
  program
    .command("doctor")
    .description("check everything that a start needs, and show how to fix problems")
    .option("--online", "also test each provider's key")
    .action(({ online = false }: { online?: boolean }) => doctor({ ...options, online }));
  program
    .command("init")
    .description("create .env and deckhand.config.json; existing files are kept")
    .action(() => init(root, sources.cwd, terminal));
  addChat(program, {
    stdin: options.stdin,
    maxBytes: describePlatform("terminal").limits.attachmentBytes,
    chat: (request) => withConfig(options, (config) => options.chat(config, request)),
    terminal,
  });
  program
    .command("web-link")
    .description("print a link that opens the web page; valid once, for ten minutes")
    .action(() =>
      withConfig(options, async (config) => {
        const link = await options.webLink(config);
        if (link === null) {
          terminal.error("✗ PORT is 0, so only the output of the start shows the port. Set PORT to a fixed port.");
          return terminal.fail();
        }
        terminal.out(link);
        if (!(await options.isRunning(config))) terminal.error(notRunning(config));
      }),
    );
  for (const add of options.subcommands) {
    add(program, (work) => withConfig(options, async (config) => work(await options.subcommandWorld(config))));
  }
  addDrain(program, (request) => withConfig(options, (config) => options.drain(config, request)));
  addManifest(program, options);
  return program;
}

function notRunning({ home, web: { host, port } }: Config): string {
  return `⚠ No Deckhand with the home directory ${home} answers at ${host}:${port}. Start it, then print a new link: this one may not work.`;
}

async function withConfig(
  { sources, terminal, features }: ProgramOptions,
  use: (config: Config) => Promise<void>,
): Promise<void> {
  try {
    const config = loadConfig(sources, await features());
    const leaveProxy = useProxy(config.proxy);
    try {
      await use(config);
    } finally {
      await leaveProxy();
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) terminal.error(`✗ ${problem}`);
    terminal.fail();
  }
}

function addManifest(program: Command, { terminal, chatCommands }: ProgramOptions): void {
  const manifest = program
    .command("manifest")
    .description("print the app manifest for Slack, or the setup steps for Discord");
  manifest
    .command("slack")
    .description("print the manifest for Create New App → From a manifest")
    .addOption(new Option("--url <address>", "HTTP mode: the public address of /slack/events").argParser(httpsUrl))
    .action(async ({ url }: { url?: string }) => {
      terminal.out(JSON.stringify(slackManifest(await chatCommands(), url), null, 2));
    });
  manifest
    .command("discord")
    .description("print the steps to create the bot, and its invitation link")
    .addOption(new Option("--app-id <id>", "the application's id").argParser(snowflake).default("APPLICATION_ID"))
    .action(({ appId }: { appId: string }) => {
      for (const line of discordInvite(appId)) terminal.out(line);
    });
}

function httpsUrl(value: string): string {
  if (URL.canParse(value) && new URL(value).protocol === "https:") return value;
  throw new InvalidArgumentError("It must begin with https://.");
}

function snowflake(value: string): string {
  if (/^\d{15,20}$/.test(value)) return value;
  throw new InvalidArgumentError("It must be the number from the Developer Portal.");
}
