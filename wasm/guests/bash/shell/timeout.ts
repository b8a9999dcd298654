import { defineCommand, type ExecResult } from "just-bash/browser";
import { singleQuoted } from "../expansion/quoting.ts";
import { beginLimit, TIMED_OUT, withoutEnd } from "../stop-signal.ts";
import { pipedBytes } from "../text/command.ts";
import { signalNumber, takeIgnored } from "../traps.ts";
import { endsScript } from "./output.ts";
import { waitedMs } from "./substitutions.ts";

/** The exit code for arguments that `timeout` does not understand. */
const USAGE = 125;
/** Bash adds the number of the signal that ended a command. */
const SIGNALLED = 128;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

interface Limit {
  readonly limitMs: number;
  readonly signal: string;
  /** Whether a command that ignores the signal is killed. */
  readonly kills: boolean;
  readonly keepsStatus: boolean;
  readonly command: readonly string[];
}

export const TIMEOUT = defineCommand("timeout", async (args, context) => {
  const limit = parse(args);
  const { exec, cwd, signal: outer } = context;
  if (typeof limit === "string" || exec === undefined)
    return {
      stdout: "",
      stderr: `timeout: ${typeof limit === "string" ? limit : "nothing can be run"}\n`,
      exitCode: USAGE,
    };
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  outer?.addEventListener("abort", abort, { once: true });
  const [name = "", ...words] = limit.command;
  const leftMs = limit.limitMs > 0 ? limit.limitMs - waitedMs(words) : Number.POSITIVE_INFINITY;
  if (leftMs <= 0) return overdue({}, limit);
  const timer = Number.isFinite(leftMs) ? setTimeout(abort, leftMs) : undefined;
  const end = beginLimit(leftMs);
  try {
    const options = { cwd, signal: controller.signal, stdin: pipedBytes(context), args: words };
    const ended = await exec(singleQuoted(name), { ...options, stdinKind: "bytes" }).catch((error: unknown) => {
      if (!controller.signal.aborted || outer?.aborted === true || !endsScript(error)) throw error;
      return error;
    });
    const isOver = end() || controller.signal.aborted;
    return isOver && outer?.aborted !== true ? overdue(ended, limit) : { ...noOutput, ...ended };
  } finally {
    end();
    clearTimeout(timer);
    outer?.removeEventListener("abort", abort);
  }
});

const noOutput: ExecResult = { stdout: "", stderr: "", exitCode: 0 };

/** The result of a command that has been ended: all that was printed until then. */
function overdue({ stdout = "", stderr = "", ...others }: Partial<ExecResult>, limit: Limit): ExecResult {
  const number = signalNumber(limit.signal) ?? Number(limit.signal);
  const isKilled = limit.signal === "KILL" || (takeIgnored(limit.signal) && limit.kills);
  const code = isKilled ? SIGNALLED + 9 : limit.keepsStatus ? SIGNALLED + number : TIMED_OUT;
  const kept = withoutEnd(stderr);
  const counted = others.internalOutputAccounting;
  return {
    ...others,
    ...(counted === undefined
      ? {}
      : { internalOutputAccounting: { ...counted, stderr: Math.min(counted.stderr, kept.length) } }),
    stdout,
    stderr: kept,
    exitCode: code,
  };
}

/** Parses the arguments; a complaint if they are wrong. */
function parse(args: readonly string[]): Limit | string {
  let [signal, kills, keepsStatus, at] = ["TERM", false, false, 0];
  for (; /^-./.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at += 1;
      break;
    }
    const { name, joined } = optionOf(arg);
    if (/^[ks]$/.test(name)) {
      const value = joined ?? args[++at];
      if (value === undefined) return `option requires an argument -- '${name}'`;
      if (name === "s") signal = value.toUpperCase().replace(/^SIG/, "");
      else if (milliseconds(value) === null) return `invalid time interval '${value}'`;
      else kills = true;
    } else if (name === "p") keepsStatus = true;
    else if (name === "") return `unrecognized option '${arg}'`;
  }
  const [duration, ...command] = args.slice(at);
  if (duration === undefined || command.length === 0) return "missing operand";
  const limitMs = milliseconds(duration);
  if (limitMs === null) return `invalid time interval '${duration}'`;
  if (signalNumber(signal) === null && !/^\d+$/.test(signal)) return `'${signal}': invalid signal`;
  return { limitMs, signal: signal === "9" ? "KILL" : signal, kills, keepsStatus, command };
}

const LONG: Readonly<Record<string, string>> = {
  "kill-after": "k",
  signal: "s",
  "preserve-status": "p",
  foreground: "f",
  verbose: "v",
};

/** The letter of an option, empty for one that is not known, and a value that is joined to it. */
function optionOf(arg: string): { readonly name: string; readonly joined: string | undefined } {
  const [, long, value] = /^--([\w-]+)(?:=([^]*))?$/.exec(arg) ?? [];
  if (long !== undefined) return { name: LONG[long] ?? "", joined: value };
  const letter = arg.charAt(1);
  return {
    name: Object.values(LONG).includes(letter) ? letter : "",
    joined: arg.length > 2 ? arg.slice(2) : undefined,
  };
}

function milliseconds(text: string): number | null {
  const [, count, unit = "s"] = /^(\d+(?:\.\d*)?|\.\d+)([smhd])?$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * 1_000 * (UNITS[unit] ?? 1);
}
