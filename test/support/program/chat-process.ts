import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { asBegunAnew, type Bot, type Environment, until } from "./bot.ts";
import { ENTRY } from "./built.ts";

/** `deckhand chat` as its own process, on the home of a bot. */
export interface ChatProcess extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything written so far. */
  out(): string;
  error(): string;
  /** Resolves once the text is on one of the two. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** The exit code, once all that it wrote is here. */
  readonly ended: Promise<number | null>;
}

export interface ChatProcessOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped in; nothing, and its end, when left out. */
  readonly input?: string;
  /** A file that gets the answer in place of the pipe. */
  readonly outTo?: string;
}

export function chatProcess(
  bot: Pick<Bot, "home">,
  { args = [], env, input = "", outTo }: ChatProcessOptions,
): ChatProcess {
  const start = asBegunAnew([ENTRY, "chat", ...args], environment(bot, env));
  const command = [process.execPath, ...start.args];
  const elsewhere = outTo === undefined ? [] : ["sh", "-c", `exec "$0" "$@" >${outTo}`];
  const chat = started(bot, [...elsewhere, ...command], start.env);
  chat.child.stdin.end(input);
  return chat;
}

/** In a pseudo terminal of so many columns, by `script` of util-linux (on Debian bsdutils, which is essential). */
export function terminalProcess(
  bot: Pick<Bot, "home">,
  { args = [], env, columns = 80 }: Omit<ChatProcessOptions, "input"> & { readonly columns?: number },
): ChatProcess {
  const start = asBegunAnew([ENTRY, "chat", ...args], environment(bot, env));
  const words = [process.execPath, ...start.args].map((word) => `'${word}'`).join(" ");
  const command = `stty cols ${columns} rows 30; exec ${words}`;
  return started(bot, ["script", "-qefc", command, "/dev/null"], start.env);
}

function environment({ home }: Pick<Bot, "home">, env: ChatProcessOptions["env"]): Environment {
  return { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm", ...env };
}

function started({ home }: Pick<Bot, "home">, command: readonly string[], env: Environment): ChatProcess {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd: home, env, stdio: ["pipe", "pipe", "pipe"] });
  const written = { out: "", error: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    written.error += text;
  });
  // It may end before it has read what is piped in.
  child.stdin.on("error", () => {});
  child.stdout.on("error", () => {});
  const closed = once(child, "close");
  const codeOf = async () => {
    await closed;
    return child.exitCode;
  };
  return {
    child,
    out: () => written.out,
    error: () => written.error,
    shows: (text) =>
      until(() => written.out.includes(text) || written.error.includes(text), {
        what: () => `${text} in:\n${written.out}\n${written.error}`,
      }),
    type: (keys) => {
      child.stdin.write(keys);
    },
    ended: codeOf(),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
