import { type CustomCommand, defineCommand } from "just-bash/browser";
import { ADAPTED_COMMANDS } from "./adapted.ts";
import { AWK } from "./awk/awk.ts";
import { BC } from "./calc/bc.ts";
import { FACTOR } from "./calc/factor.ts";
import { NUMFMT } from "./calc/numfmt.ts";
import { TSORT } from "./calc/topological-sort.ts";
import { DATE } from "./date.ts";
import { ENV_COMMANDS } from "./env.ts";
import { ENVSUBST } from "./expansion/envsubst.ts";
import { ADAPTED_FILE_COMMANDS } from "./files/adapted-files.ts";
import { CHECKSUM_COMMANDS } from "./files/checksums.ts";
import { INSTALL } from "./files/install.ts";
import { LS } from "./files/list.ts";
import { PATCH } from "./files/patch.ts";
import { PATH_COMMANDS } from "./files/paths.ts";
import { RM } from "./files/remove.ts";
import { PART_COMMANDS } from "./files/sizes.ts";
import { SPLIT } from "./files/split.ts";
import { STAT } from "./files/stat.ts";
import { SUM_COMMANDS } from "./files/sums.ts";
import { TAR } from "./files/tar.ts";
import { DU } from "./files/usage.ts";
import { YES } from "./files/yes.ts";
import { FIND } from "./find/find.ts";
import { jq } from "./jq/jq.ts";
import { SHELL_COMMANDS } from "./shell/shells.ts";
import { TIMEOUT } from "./shell/timeout.ts";
import { XARGS } from "./shell/xargs.ts";
import { COLUMN_COMMANDS } from "./text/columns.ts";
import { pipedBytes, textCommand } from "./text/command.ts";
import { COUNT_COMMANDS } from "./text/counts.ts";
import { DIFF } from "./text/diff.ts";
import { DUMP_COMMANDS } from "./text/dump.ts";
import { MERGE_COMMANDS } from "./text/merge.ts";
import { OPTION_COMMANDS } from "./text/options.ts";
import { TAC } from "./text/reverse.ts";
import { SED } from "./text/sed.ts";
import { SEQ } from "./text/sequence.ts";
import { SORT } from "./text/sort.ts";
import { COLUMN } from "./text/table.ts";
import { TAB_COMMANDS } from "./text/tabs.ts";
import { TR } from "./text/translate.ts";
import { UNZIP } from "./zip/unzip.ts";
import { ZIP } from "./zip/zip.ts";

const USAGE = 2;

/** What `uname` prints, by its options. */
const UNAME = {
  s: "Linux",
  n: "localhost",
  r: "0",
  v: "sandbox",
  m: "wasm32",
  p: "unknown",
  i: "unknown",
  o: "GNU/Linux",
};

/** Commands that just-bash lacks or whose behaviour here differs from just-bash's. */
export const COMMANDS: readonly CustomCommand[] = [
  jq,
  AWK,
  ...ENV_COMMANDS,
  ENVSUBST,
  BC,
  FACTOR,
  NUMFMT,
  TSORT,
  DATE,
  DU,
  LS,
  FIND,
  COLUMN,
  ...ADAPTED_FILE_COMMANDS,
  ...SHELL_COMMANDS,
  ...PATH_COMMANDS,
  ...PART_COMMANDS,
  ...CHECKSUM_COMMANDS,
  ...SUM_COMMANDS,
  INSTALL,
  PATCH,
  RM,
  SPLIT,
  STAT,
  TAR,
  YES,
  ...ADAPTED_COMMANDS,
  DIFF,
  ...DUMP_COMMANDS,
  ...MERGE_COMMANDS,
  ...OPTION_COMMANDS,
  SED,
  SEQ,
  SORT,
  TAC,
  TIMEOUT,
  TR,
  ...TAB_COMMANDS,
  UNZIP,
  XARGS,
  ZIP,
  ...COLUMN_COMMANDS,
  ...COUNT_COMMANDS,
  defineCommand("cmp", async (args, context) => {
    const { fs, cwd } = context;
    const read = async (path: string): Promise<string> =>
      path === "-" ? pipedBytes(context) : fs.readFile(fs.resolvePath(cwd, path), "binary");
    const silent = args.includes("-s") || args.includes("--silent") || args.includes("--quiet");
    const [first, second, ...others] = args.filter((arg) => !/^-s$|^--(?:silent|quiet)$/.test(arg));
    const unknown = [first, second, ...others].find((arg) => /^-./.test(arg ?? ""));
    if (unknown !== undefined) return failed(`cmp: ${unknown} is not known here`, USAGE);
    if (first === undefined || second === undefined || others.length > 0)
      return failed("cmp: two files are needed", USAGE);
    try {
      const [a, b] = await Promise.all([read(first), read(second)]);
      const difference = firstDifference(a, b);
      if (difference === null) return done("");
      const isEnd = difference === Math.min(a.length, b.length);
      if (silent) return { ...done(""), exitCode: 1 };
      if (isEnd) return failed(`cmp: EOF on ${a.length < b.length ? first : second} after byte ${difference}`, 1);
      return {
        ...done(`${first} ${second} differ: byte ${difference + 1}, line ${lineOf(a, difference)}\n`),
        exitCode: 1,
      };
    } catch (error) {
      return failed(`cmp: ${error instanceof Error ? error.message : String(error)}`, USAGE);
    }
  }),
  textCommand(
    "uname",
    {
      flags: "asnrvmpio",
      long: {
        all: "a",
        "kernel-name": "s",
        nodename: "n",
        "kernel-release": "r",
        machine: "m",
        processor: "p",
        "hardware-platform": "i",
        "operating-system": "o",
      },
    },
    async ({ flags }) => {
      const shown = Object.entries(UNAME).filter(
        ([flag, value]) => flags.has(flag) || (flags.has("a") && value !== "unknown"),
      );
      return `${(shown.length === 0 ? [UNAME.s] : shown.map(([, value]) => value)).join(" ")}\n`;
    },
  ),
  // A command in the background (`&`) has always ended by now.
  defineCommand("jobs", async () => done("")),
  defineCommand("disown", async () => done("")),
  defineCommand("nproc", async () => done("1\n")),
  defineCommand("id", async (args) => {
    const unknown = args.find((arg) => !/^-[ugGnr]+$|^user$/.test(arg));
    if (unknown !== undefined) return failed(`id: ${unknown} is not known here`, 1);
    const letters = args.filter((arg) => arg.startsWith("-")).join("");
    if (!/[ugG]/.test(letters)) return done("uid=1000(user) gid=1000(user)\n");
    return done(letters.includes("n") ? "user\n" : "1000\n");
  }),
];

function done(stdout: string): { stdout: string; stderr: string; exitCode: number } {
  return { stdout, stderr: "", exitCode: 0 };
}

function failed(sentence: string, exitCode: number): { stdout: string; stderr: string; exitCode: number } {
  return { stdout: "", stderr: `${sentence}\n`, exitCode };
}

function firstDifference(a: string, b: string): number | null {
  if (a === b) return null;
  const length = Math.min(a.length, b.length);
  let at = 0;
  for (const step of [65_536, 256, 1])
    while (at < length && a.slice(at, at + step) === b.slice(at, at + step)) at += step;
  return Math.min(at, length);
}

function lineOf(bytes: string, at: number): number {
  return bytes.slice(0, at).split("\n").length;
}
