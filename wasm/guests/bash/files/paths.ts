import type { CustomCommand } from "just-bash/browser";
import { type Call, joined, Refusal, textCommand } from "../text/command.ts";

type Files = Call["context"]["fs"];

/** Commands that work on file names. */
export const PATH_COMMANDS: readonly CustomCommand[] = [
  textCommand(
    "realpath",
    {
      flags: "emsqzLP",
      values: "TB",
      long: {
        "canonicalize-existing": "e",
        "canonicalize-missing": "m",
        "no-symlinks": "s",
        strip: "s",
        quiet: "q",
        zero: "z",
        logical: "L",
        physical: "P",
        "relative-to": "T",
        "relative-base": "B",
      },
    },
    realpath,
  ),
  textCommand(
    "readlink",
    {
      flags: "fenmqsvz",
      long: {
        canonicalize: "f",
        "canonicalize-existing": "e",
        "canonicalize-missing": "m",
        "no-newline": "n",
        quiet: "q",
        silent: "s",
        verbose: "v",
        zero: "z",
      },
    },
    readlink,
  ),
  textCommand(
    "basename",
    { flags: "az", values: "s", long: { multiple: "a", suffix: "s", zero: "z" } },
    async ({ flags, values, operands }) => {
      const [first, ending = "", extra] = operands;
      if (first === undefined) throw new Refusal("missing operand");
      const isMany = flags.has("a") || values.has("s");
      if (!isMany && extra !== undefined) throw new Refusal(`extra operand '${extra}'`);
      const suffix = values.get("s") ?? (isMany ? "" : ending);
      const names = (isMany ? operands : [first]).map((path) => nameOf(path, suffix));
      return joined(names, flags.has("z") ? "\0" : "\n");
    },
  ),
  textCommand("dirname", { flags: "z", long: { zero: "z" } }, async ({ flags, operands }) => {
    if (operands.length === 0) throw new Refusal("missing operand");
    return operands.map((path) => parentOf(path) + (flags.has("z") ? "\0" : "\n")).join("");
  }),
];

function parentOf(path: string): string {
  const name = withoutSlashes(path);
  if (name === "") return path.startsWith("/") ? "/" : ".";
  const slash = name.lastIndexOf("/");
  return slash === -1 ? "." : withoutSlashes(name.slice(0, slash)) || "/";
}

function nameOf(path: string, suffix: string): string {
  const whole = withoutSlashes(path);
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  if (name === "") return path === "" ? "" : "/";
  return name !== suffix && name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name;
}

/** A path without the slashes at its end. */
export function withoutSlashes(path: string): string {
  let end = path.length;
  while (path.charAt(end - 1) === "/") end--;
  return path.slice(0, end);
}

async function realpath(call: Call): Promise<readonly [text: string, exitCode: number]> {
  const { flags, values, operands, context, complaints } = call;
  const { fs, cwd } = context;
  if (operands.length === 0) throw new Refusal("missing operand");
  const must = flags.has("e") ? "all" : flags.has("m") ? "nothing" : "directory";
  const resolve = async (path: string) => {
    if (path === "") throw new Refusal("'': No such file or directory");
    const full = fs.resolvePath(cwd, path);
    return flags.has("s") && must !== "all" ? full : resolved(fs, full, must);
  };
  const [to, base] = [values.get("T") ?? values.get("B"), values.get("B")];
  const from = to === undefined ? null : await resolve(to);
  const within = base === undefined ? null : await resolve(base);
  const found: string[] = [];
  for (const path of operands) {
    const full = await resolve(path).catch(() => null);
    if (full !== null) found.push(from === null || !isWithin(full, within) ? full : relative(from, full));
    else complaints.push(`${path}: No such file or directory`);
  }
  const text = found.map((path) => path + (flags.has("z") ? "\0" : "\n")).join("");
  const exitCode = complaints.length > 0 ? 1 : 0;
  if (flags.has("q")) complaints.length = 0;
  return [text, exitCode];
}

/** Complains about a path only with `-v`. */
async function readlink(call: Call): Promise<readonly [text: string, exitCode: number]> {
  const { flags, operands, context, complaints } = call;
  const { fs, cwd } = context;
  if (operands.length === 0) throw new Refusal("missing operand");
  const must = flags.has("e") ? "all" : flags.has("m") ? "nothing" : flags.has("f") ? "directory" : null;
  const found: string[] = [];
  const refused: string[] = [];
  for (const path of operands) {
    const full = fs.resolvePath(cwd, path);
    try {
      if (path === "") throw new Refusal("there is no such file");
      found.push(must === null ? await fs.readlink(full) : await resolved(fs, full, must));
    } catch {
      const isThere = must === null && (await fs.exists(full));
      refused.push(`${path}: ${isThere ? "Invalid argument" : "No such file or directory"}`);
    }
  }
  if (flags.has("v")) complaints.push(...refused);
  const end = flags.has("z") ? "\0" : flags.has("n") && operands.length === 1 ? "" : "\n";
  return [joined(found, end), refused.length > 0 ? 1 : 0];
}

/** Follows symlinks; `must` says whether all components, all but the last, or none of them must exist. */
async function resolved(fs: Files, path: string, must: "all" | "directory" | "nothing"): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    const [, parent = "", name = ""] = /^(.*)\/([^/]+)$/.exec(path) ?? [];
    if (must === "all" || name === "") throw error;
    const above = await resolved(fs, parent === "" ? "/" : parent, must === "directory" ? "all" : must);
    return above === "/" ? `/${name}` : `${above}/${name}`;
  }
}

function isWithin(path: string, base: string | null): boolean {
  return base === null || base === "/" || path === base || path.startsWith(`${base}/`);
}

function relative(from: string, to: string): string {
  const namesOf = (path: string) => path.split("/").filter((name) => name !== "");
  const [ours, theirs] = [namesOf(from), namesOf(to)];
  let shared = 0;
  while (shared < ours.length && ours[shared] === theirs[shared]) shared++;
  return [...ours.slice(shared).map(() => ".."), ...theirs.slice(shared)].join("/") || ".";
}
