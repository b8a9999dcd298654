import type { CustomCommand } from "just-bash/browser";
import { type Call, joined, numberOf, Refusal, textCommand } from "../text/command.ts";
import { blocksOf, human } from "./list.ts";

const LONG = {
  all: "a",
  "apparent-size": "A",
  bytes: "b",
  total: "c",
  "human-readable": "h",
  "max-depth": "d",
  summarize: "s",
  "separate-dirs": "S",
  null: "0",
};

/** Disk usage as on a file system with blocks of 4096 bytes, which most have. */
export const DU: CustomCommand = textCommand("du", { flags: "aAbchkmsS0x", values: "d", long: LONG }, usage);

interface Usage {
  readonly lines: readonly string[];
  /** Bytes. */
  readonly size: number;
  readonly isDirectory: boolean;
}

async function usage(call: Call): Promise<string> {
  const { flags, values, operands, complaints } = call;
  const depth = flags.has("s") ? 0 : numberOf(values.get("d"), Number.POSITIVE_INFINITY);
  if (flags.has("s") && flags.has("a")) throw new Refusal("cannot both summarize and show all entries");
  const lines: string[] = [];
  let total = 0;
  for (const name of operands.length > 0 ? operands : ["."]) {
    const found = await usageOf(call, name, { depth, isNamed: true });
    if (found === null) complaints.push(`cannot access '${name}': No such file or directory`);
    for (const line of found?.lines ?? []) lines.push(line);
    total += found?.size ?? 0;
  }
  if (flags.has("c")) lines.push(lineOf(call, total, "total"));
  return joined(lines, flags.has("0") ? "\0" : "\n");
}

/** The lines for a path, down to a depth, and its total size; null if it does not exist. */
async function usageOf(
  call: Call,
  name: string,
  { depth, isNamed }: { readonly depth: number; readonly isNamed: boolean },
): Promise<Usage | null> {
  const { flags, context } = call;
  const path = context.fs.resolvePath(context.cwd, name);
  const status = await context.fs.lstat(path).catch(() => null);
  if (status === null) return null;
  const isApparent = flags.has("b") || flags.has("A");
  const own = isApparent ? status.size : blocksOf({ status }) * 1024;
  if (!status.isDirectory) {
    const isShown = depth >= 0 && (isNamed || flags.has("a"));
    return { lines: isShown ? [lineOf(call, own, name)] : [], size: own, isDirectory: false };
  }
  const lines: string[] = [];
  let [size, apart] = [own, own];
  for (const entry of await context.fs.readdir(path)) {
    const found = await usageOf(call, `${name.replace(/\/$/, "")}/${entry}`, { depth: depth - 1, isNamed: false });
    if (found === null) continue;
    for (const line of found.lines) lines.push(line);
    size += found.size;
    if (!found.isDirectory) apart += found.size;
  }
  if (depth >= 0) lines.push(lineOf(call, flags.has("S") ? apart : size, name));
  return { lines, size, isDirectory: true };
}

function lineOf({ flags }: Call, size: number, name: string): string {
  const unit = flags.has("b") ? 1 : flags.has("m") ? 1024 * 1024 : 1024;
  return `${flags.has("h") ? human(size) : Math.ceil(size / unit)}\t${name}`;
}
