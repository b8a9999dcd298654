import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { asBegunAnew, type Bot, type Environment, until } from "./bot.ts";
import { ENTRY } from "./built.ts";

/** `deckhand chat` as a process of its own, in a bot's home. */
export interface ChatProcess extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** All output so far. */
  out(): string;
  error(): string;
  /** Resolves once the text appears in either output. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** Resolves with the exit code once all output has arrived. */
  readonly ended: Promise<number | null>;
}

export interface ChatProcessOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Piped input; by default empty and closed. */
  readonly input?: string;
  /** A file that receives the answer instead of the pipe. */
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

/**
 * Runs in a pseudo terminal with a number of columns, by `script` of util-linux (on Debian bsdutils, which is
 * essential).
 */
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
  // It may end before it has read its input.
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
