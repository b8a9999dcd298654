import { type Call, inputsOf, linesWithEnds, numberOf, Refusal, textCommand } from "../text/command.ts";
import { type FilePatch, type Hunk, newLines, patchesIn, placeOf, reversed } from "./unified-diff.ts";

/** Lines of context at either end of a hunk that may be ignored to find its place. */
const MAX_FUZZ = 2;
const TROUBLE = 2;

interface Outcome {
  readonly printed: string;
  readonly exitCode: number;
}

/** Applies unified diffs. */
export const PATCH = textCommand(
  "patch",
  {
    flags: "RNsftuEDbB",
    values: "pidF",
    long: {
      reverse: "R",
      forward: "N",
      silent: "s",
      quiet: "s",
      force: "f",
      batch: "t",
      unified: "u",
      "remove-empty-files": "E",
      "dry-run": "D",
      backup: "b",
      "no-backup-if-mismatch": "B",
      strip: "p",
      input: "i",
      directory: "d",
      fuzz: "F",
    },
    bytes: true,
  },
  async (call) => {
    const [target, source = call.values.get("i") ?? "-", extra] = call.operands;
    if (extra !== undefined) throw new Refusal(`extra operand '${extra}'`, TROUBLE);
    const [input] = await inputsOf(call, [source]);
    if (input === undefined) return ["", TROUBLE];
    const patches = patchesIn(input.bytes);
    if (patches.length === 0) throw new Refusal("**** Only garbage was found in the patch input.", TROUBLE);
    let [printed, exitCode] = ["", 0];
    for (const patch of patches) {
      const ended = await applyTo(call, call.flags.has("R") ? reversed(patch) : patch, target);
      printed += ended.printed;
      exitCode = Math.max(exitCode, ended.exitCode);
    }
    return [call.flags.has("s") && exitCode === 0 ? "" : printed, exitCode];
  },
);

async function applyTo(call: Call, patch: FilePatch, target: string | undefined): Promise<Outcome> {
  const { context, flags, values } = call;
  const { fs } = context;
  const folder = fs.resolvePath(context.cwd, values.get("d") ?? ".");
  const path = (name: string) => fs.resolvePath(folder, name);
  const name = target ?? (await nameOf(patch, values.get("p"), (given) => fs.exists(path(given))));
  const isThere = name !== null && (await fs.exists(path(name)));
  if (name === null || (!isThere && patch.before.name !== null))
    throw new Refusal(`can't find file to patch: ${name ?? patch.before.name}`, name === null ? 1 : TROUBLE);
  const content = isThere ? await fs.readFile(path(name), "binary") : "";
  const save = (ending: string, text: string) => fs.writeFile(path(name) + ending, text, "binary");
  const fuzz = numberOf(values.get("F"), MAX_FUZZ);
  const done = applied(linesWithEnds(content), patch.hunks, fuzz);
  const isDry = flags.has("D");
  const start = `${isDry ? "checking" : "patching"} file ${name}\n`;
  const saved = isDry ? "" : ` -- saving rejects to file ${name}.rej`;
  if (done.failed.length > 0 && applied(linesWithEnds(content), reversed(patch).hunks, fuzz).failed.length === 0) {
    if (!isDry) await save(".rej", rejects(patch, patch.hunks));
    const detected = "Reversed (or previously applied) patch detected!  Skipping patch.";
    return { printed: `${start}${detected}\n${outOf(patch.hunks.length, patch)} ignored${saved}\n`, exitCode: 1 };
  }
  if (!isDry) {
    if (flags.has("b") || (done.notes.length > 0 && !flags.has("B"))) await save(".orig", content);
    await fs.mkdir(path(name).replace(/\/[^/]*$/, "") || "/", { recursive: true });
    if (done.text === "" && (patch.after.name === null || flags.has("E"))) await fs.rm(path(name));
    else if (done.text !== content || !isThere) await save("", done.text);
    if (done.failed.length > 0) await save(".rej", rejects(patch, done.failed));
  }
  const printed = start + done.notes.join("");
  if (done.failed.length === 0) return { printed, exitCode: 0 };
  return { printed: `${printed}${outOf(done.failed.length, patch)} FAILED${saved}\n`, exitCode: 1 };
}

function outOf(count: number, { hunks }: FilePatch): string {
  return `${count} out of ${hunks.length} hunk${hunks.length === 1 ? "" : "s"}`;
}

/** The file that a patch names, which exists unless the patch creates it; null if there is none. */
async function nameOf(
  { before, after }: FilePatch,
  strip: string | undefined,
  exists: (name: string) => Promise<boolean>,
): Promise<string | null> {
  const names = [before.name, after.name]
    .filter((name) => name !== null)
    .map((name) =>
      name
        .split("/")
        .slice(strip === undefined ? -1 : numberOf(strip, 0))
        .join("/"),
    );
  if (before.name === null) return names[0] ?? null;
  for (const name of names) if (name !== "" && (await exists(name))) return name;
  return null;
}

/** The text after all hunks that have a place, what is to be said about them, and those that have none. */
function applied(
  file: readonly string[],
  hunks: readonly Hunk[],
  maxFuzz: number,
): { readonly text: string; readonly notes: readonly string[]; readonly failed: readonly Hunk[] } {
  const [parts, notes, failed]: [string[], string[], Hunk[]] = [[], [], []];
  let [from, shift] = [0, 0];
  for (const [index, hunk] of hunks.entries()) {
    const isInsertion = hunk.lines.every(({ sign }) => sign === "+");
    const guess = hunk.oldStart - (isInsertion ? 0 : 1) + shift;
    let [place, fuzz] = [placeOf(file, hunk, { guess, from, fuzz: 0 }), 0];
    while (place === null && fuzz < maxFuzz) place = placeOf(file, hunk, { guess, from, fuzz: ++fuzz });
    const number = `Hunk #${index + 1}`;
    if (place === null) {
      failed.push(hunk);
      notes.push(`${number} FAILED at ${hunk.oldStart}.\n`);
      continue;
    }
    const offset = place.at - (guess - shift);
    shift = offset;
    const fresh = newLines(hunk);
    const start = place.at + place.head;
    const end = start + hunk.lines.filter(({ sign }) => sign !== "+").length - place.head - place.tail;
    const lines = [...file.slice(from, start), ...fresh.slice(place.head, fresh.length - place.tail)];
    for (const line of lines) parts.push(line);
    from = end;
    if (fuzz > 0 || offset !== 0)
      notes.push(
        `${number} succeeded at ${hunk.newStart + offset}${fuzz > 0 ? ` with fuzz ${fuzz}` : ""}${offset === 0 ? "" : ` (offset ${offset} line${Math.abs(offset) === 1 ? "" : "s"})`}.\n`,
      );
  }
  return { text: [...parts, ...file.slice(from)].join(""), notes, failed };
}

function rejects({ before, after }: FilePatch, hunks: readonly Hunk[]): string {
  const count = (hunk: Hunk, sign: "-" | "+") =>
    hunk.lines.filter((line) => line.sign === sign || line.sign === " ").length;
  const texts = hunks.map((hunk) => {
    const range = `@@ -${hunk.oldStart},${count(hunk, "-")} +${hunk.newStart},${count(hunk, "+")} @@\n`;
    const lines = hunk.lines.map(
      ({ sign, text }) => sign + text + (text.endsWith("\n") ? "" : "\n\\ No newline at end of file\n"),
    );
    return range + lines.join("");
  });
  return `--- ${before.header}\n+++ ${after.header}\n${texts.join("")}`;
}
