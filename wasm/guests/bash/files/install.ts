import { type Call, Refusal, textCommand } from "../text/command.ts";

/** Copies files with a mode, or makes directories. Owners are accepted and ignored, because all files belong to one. */
export const INSTALL = textCommand(
  "install",
  {
    flags: "dDTvcpC",
    values: "mtog",
    long: {
      directory: "d",
      mode: "m",
      "target-directory": "t",
      owner: "o",
      group: "g",
      "no-target-directory": "T",
      verbose: "v",
      "preserve-timestamps": "p",
      compare: "C",
    },
  },
  async (call) => {
    const { flags, values, operands, context } = call;
    const mode = modeOf(values.get("m") ?? "755");
    const { fs } = context;
    const path = (name: string) => fs.resolvePath(context.cwd, name);
    if (operands.length === 0) throw new Refusal("missing file operand");
    if (flags.has("d")) {
      const made: string[] = [];
      for (const name of operands) {
        if (!(await fs.exists(path(name)))) made.push(`install: creating directory '${name}'\n`);
        await fs.mkdir(path(name), { recursive: true });
        await fs.chmod(path(name), mode);
      }
      return flags.has("v") ? made.join("") : "";
    }
    const target = values.get("t") ?? operands.at(-1) ?? "";
    const sources = values.has("t") ? operands : operands.slice(0, -1);
    if (sources.length === 0) throw new Refusal(`missing destination file operand after '${target}'`);
    return copyAll(call, { sources, target, mode, path });
  },
);

interface Copies {
  readonly sources: readonly string[];
  readonly target: string;
  readonly mode: number;
  readonly path: (name: string) => string;
}

async function copyAll({ flags, values, context, complaints }: Call, copies: Copies): Promise<string> {
  const { fs } = context;
  const { sources, target, mode, path } = copies;
  const parent = values.has("t") ? target : target.split("/").slice(0, -1).join("/");
  if (flags.has("D") && parent !== "") await fs.mkdir(path(parent), { recursive: true });
  const status = await fs.stat(path(target)).catch(() => null);
  const isWithin = status?.isDirectory === true && !flags.has("T");
  if (!isWithin && (values.has("t") || target.endsWith("/") || sources.length > 1))
    throw new Refusal(`target '${target}': ${status === null ? "No such file or directory" : "Not a directory"}`);
  let printed = "";
  for (const source of sources) {
    const copy = isWithin ? `${target.replace(/\/$/, "")}/${source.split("/").at(-1)}` : target;
    const found = await fs.stat(path(source)).catch(() => null);
    if (found?.isFile !== true) {
      complaints.push(
        found === null ? `cannot stat '${source}': No such file or directory` : `omitting directory '${source}'`,
      );
      continue;
    }
    await fs.writeFile(path(copy), await fs.readFile(path(source), "binary"), "binary");
    await fs.chmod(path(copy), mode);
    if (flags.has("p")) await fs.utimes(path(copy), found.mtime, found.mtime);
    if (flags.has("v")) printed += `'${source}' -> '${copy}'\n`;
  }
  return printed;
}

/** The bits of a mode, whose symbolic clauses change the given ones. */
export function modeOf(text: string, before = 0): number {
  if (/^[0-7]{1,4}$/.test(text)) return Number.parseInt(text, 8);
  const clauses = text.split(",").map((clause) => /^([ugoa]*)([-=+])([rwx]*)$/.exec(clause) ?? [""]);
  if (clauses.some(([found]) => found === "")) throw new Refusal(`invalid mode '${text}'`);
  return clauses.reduce((mode, [, who = "", how, what = ""]) => {
    const bits = Array.from(what).reduce((sum, letter) => sum | ({ r: 4, w: 2, x: 1 }[letter] ?? 0), 0);
    const isFor = (letter: string) => who === "" || who.includes("a") || who.includes(letter);
    const spread = (each: number) =>
      (isFor("u") ? each << 6 : 0) | (isFor("g") ? each << 3 : 0) | (isFor("o") ? each : 0);
    if (how === "-") return mode & ~spread(bits);
    return (how === "=" ? mode & ~spread(7) : mode) | spread(bits);
  }, before);
}
