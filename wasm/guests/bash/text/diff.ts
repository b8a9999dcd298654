import { diffArrays } from "diff";
import type { CustomCommand } from "just-bash/browser";
import { fullTime } from "../files/list.ts";
import { zoneOfCommand } from "../time/zones.ts";
import { type Call, inputsOf, linesWithEnds, numberOf, Refusal, textCommand, textOf } from "./command.ts";

/** Lines that one file has in place of the other's; both counted from 0. */
interface Change {
  readonly from: number;
  readonly removed: readonly string[];
  readonly to: number;
  readonly added: readonly string[];
}

interface Side {
  readonly name: string;
  /** Lines including their line ends. */
  readonly lines: readonly string[];
}

/** Exit code of a comparison that failed. */
const TROUBLE = 2;
const CONTEXT_LINES = 3;

export const DIFF: CustomCommand = textCommand(
  "diff",
  {
    flags: "uqsiwbBrNaZ",
    values: "UL",
    long: {
      unified: "u",
      brief: "q",
      "report-identical-files": "s",
      "ignore-case": "i",
      "ignore-all-space": "w",
      "ignore-space-change": "b",
      "ignore-blank-lines": "B",
      "ignore-trailing-space": "Z",
      recursive: "r",
      "new-file": "N",
      text: "a",
      color: "a",
      normal: "a",
      label: "L",
    },
  },
  diff,
);

async function diff(call: Call): Promise<readonly [string, number]> {
  const [one, other, ...more] = call.operands;
  if (one === undefined || other === undefined || more.length > 0) throw new Refusal("two files are needed", TROUBLE);
  if (call.values.has("L")) throw new Refusal("there is no --label here", TROUBLE);
  const [oneIsDirectory, otherIsDirectory] = [await isDirectory(call, one), await isDirectory(call, other)];
  if (oneIsDirectory && otherIsDirectory) return diffDirectories(call, one, other);
  const inner = (directory: string, file: string) => `${directory}/${file.split("/").at(-1) ?? ""}`;
  const output = await diffFiles(
    call,
    oneIsDirectory ? inner(one, other) : one,
    otherIsDirectory ? inner(other, one) : other,
  );
  return call.complaints.length > 0 ? ["", TROUBLE] : output;
}

async function isDirectory({ context: { fs, cwd } }: Call, path: string): Promise<boolean> {
  return path !== "-" && (await fs.stat(fs.resolvePath(cwd, path)).catch(() => null))?.isDirectory === true;
}

async function diffDirectories(call: Call, one: string, other: string): Promise<readonly [string, number]> {
  const { fs, cwd } = call.context;
  const [names, otherNames] = await Promise.all([one, other].map((path) => fs.readdir(fs.resolvePath(cwd, path))));
  let text = "";
  let exitCode = 0;
  const flags = [...call.flags].filter((flag) => flag !== "q").join("");
  for (const name of [...new Set([...(names ?? []), ...(otherNames ?? [])])].sort()) {
    const [left, right] = [`${one}/${name}`, `${other}/${name}`];
    const side = names?.includes(name) !== true ? other : otherNames?.includes(name) !== true ? one : null;
    const areDirectories = side === null && (await isDirectory(call, left)) && (await isDirectory(call, right));
    if (areDirectories && !call.flags.has("r")) {
      text += `Common subdirectories: ${left} and ${right}\n`;
      continue;
    }
    if (side !== null && !call.flags.has("N")) {
      text += `Only in ${side}: ${name}\n`;
      exitCode = 1;
      continue;
    }
    const [inner, code] = areDirectories
      ? await diffDirectories(call, left, right)
      : await diffFiles(call, left, right);
    const hasHeading = inner !== "" && !areDirectories && !call.flags.has("q");
    text += (hasHeading ? `diff ${flags === "" ? "" : `-${flags} `}${left} ${right}\n` : "") + inner;
    exitCode = Math.max(exitCode, code);
  }
  return [text, exitCode];
}

async function diffFiles(call: Call, one: string, other: string): Promise<readonly [string, number]> {
  const { flags, values } = call;
  const sides: Side[] = [];
  const complaints: string[] = [];
  for (const name of [one, other]) {
    const [input] = await inputsOf({ ...call, complaints }, [name]);
    sides.push({ name, lines: input === undefined ? [] : linesWithEnds(textOf(input)) });
  }
  if (!flags.has("N") || complaints.length === 2) call.complaints.push(...complaints);
  const [left, right] = sides;
  if (left === undefined || right === undefined || call.complaints.length > 0) return ["", TROUBLE];
  const changes = changesOf(left.lines, right.lines, flags);
  if (changes.length === 0) return [flags.has("s") ? `Files ${one} and ${other} are identical\n` : "", 0];
  if (flags.has("q")) return [`Files ${one} and ${other} differ\n`, 1];
  if (!flags.has("u") && !values.has("U")) return [changes.map(normal).join(""), 1];
  const heads = [`--- ${one}\t${await timeOf(call, one)}\n`, `+++ ${other}\t${await timeOf(call, other)}\n`];
  return [heads.join("") + unified(left, changes, numberOf(values.get("U"), CONTEXT_LINES)), 1];
}

async function timeOf({ context }: Call, path: string): Promise<string> {
  const { fs, cwd } = context;
  const status = path === "-" ? null : await fs.stat(fs.resolvePath(cwd, path)).catch(() => null);
  return fullTime(status?.mtime ?? new Date(0), zoneOfCommand(context));
}

function changesOf(one: readonly string[], other: readonly string[], flags: ReadonlySet<string>): Change[] {
  const plain = (line: string): string => {
    const cased = flags.has("i") ? line.toLowerCase() : line;
    if (flags.has("w")) return cased.replace(/\s+/g, "");
    if (flags.has("b")) return cased.trimEnd().replace(/\s+/g, " ");
    return flags.has("Z") ? cased.trimEnd() : cased;
  };
  const changes: Change[] = [];
  let [from, to, isOpen] = [0, 0, false];
  for (const { added, removed, count } of diffArrays(one.map(plain), other.map(plain))) {
    if (added || removed) {
      const last = isOpen ? changes.pop() : undefined;
      const { removed: gone = [], added: come = [] } = last ?? {};
      changes.push({
        from: last?.from ?? from,
        to: last?.to ?? to,
        removed: removed ? [...gone, ...one.slice(from, from + count)] : gone,
        added: added ? [...come, ...other.slice(to, to + count)] : come,
      });
    }
    isOpen = added || removed;
    if (!added) from += count;
    if (!removed) to += count;
  }
  const isBlank = (line: string) => line.trim() === "";
  return flags.has("B") ? changes.filter(({ removed, added }) => ![...removed, ...added].every(isBlank)) : changes;
}

function marked(mark: string, lines: readonly string[]): string {
  return lines.map((line) => mark + (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`)).join("");
}

function normal({ from, removed, to, added }: Change): string {
  const range = (at: number, count: number) =>
    count === 0 ? `${at}` : count === 1 ? `${at + 1}` : `${at + 1},${at + count}`;
  const letter = removed.length === 0 ? "a" : added.length === 0 ? "d" : "c";
  const head = `${range(from, removed.length)}${letter}${range(to, added.length)}\n`;
  return head + marked("< ", removed) + (letter === "c" ? "---\n" : "") + marked("> ", added);
}

function unified({ lines }: Side, changes: readonly Change[], context: number): string {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && change.from - last.from - last.removed.length <= 2 * context) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks.map((hunk) => hunkOf(lines, hunk, context)).join("");
}

function hunkOf(lines: readonly string[], hunk: readonly Change[], context: number): string {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) return "";
  const start = Math.max(0, first.from - context);
  const end = Math.min(lines.length, last.from + last.removed.length + context);
  let [text, at, growth] = ["", start, 0];
  for (const { from, removed, added } of hunk) {
    text += marked(" ", lines.slice(at, from)) + marked("-", removed) + marked("+", added);
    at = from + removed.length;
    growth += added.length - removed.length;
  }
  const range = (begin: number, count: number) =>
    count === 1 ? `${begin + 1}` : `${count === 0 ? begin : begin + 1},${count}`;
  const newStart = first.to - (first.from - start);
  const head = `@@ -${range(start, end - start)} +${range(newStart, end - start + growth)} @@\n`;
  return head + text + marked(" ", lines.slice(at, end));
}
