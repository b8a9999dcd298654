import type { Context } from "../adapted.ts";
import { momentOf } from "../files/adapted-files.ts";
import { inodeOf } from "../files/list.ts";
import { wallTime, zoneOfCommand } from "../time/zones.ts";
import type { Entry, Status } from "./entry.ts";
import type { Test, Words } from "./expression.ts";
import { globRegex, pathRegex } from "./patterns.ts";
import { permissionTest } from "./permissions.ts";

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
const BLOCK = 512;
const UNITS: Readonly<Record<string, number>> = { c: 1, w: 2, b: BLOCK, k: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** Settings by preceding options. */
export interface Settings {
  regexType: string;
  /** True if days are counted from the end of the present day instead of the present time. */
  fromMidnight: boolean;
}

/** What a test is made of. */
export interface TestScope {
  readonly words: Words;
  readonly settings: Settings;
  readonly context: Context;
}

/** Parses a count of the form `+n`, `-n` or `n`. */
function countOf(text: string, option: string): { readonly sign: string; readonly count: number } {
  const [, sign = "", count] = /^([-+]?)(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`invalid argument '${text}' to '${option}'`);
  return { sign, count: Number(count) };
}

function compared(value: number, { sign, count }: ReturnType<typeof countOf>): boolean {
  return sign === "+" ? value > count : sign === "-" ? value < count : value === count;
}

/** Creates a test by its name; null for unknown names. */
export function testOf(name: string, scope: TestScope): Test | null {
  const { words, settings } = scope;
  const { fs, cwd } = scope.context;
  const value = () => words.value(name);
  switch (name) {
    case "-true":
    case "-readable":
    case "-writable":
      return () => true;
    case "-false":
    case "-nouser":
    case "-nogroup":
      return () => false;
    case "-executable":
      return async (entry) => entry.kind === "d" || ((await entry.status()).mode & 0o111) !== 0;
    case "-name":
    case "-iname":
      return byText(globRegex(value(), name === "-iname"), (entry) => entry.name);
    case "-path":
    case "-ipath":
    case "-wholename":
    case "-iwholename":
      return byText(globRegex(value(), name.startsWith("-i")), (entry) => entry.path);
    case "-regex":
    case "-iregex":
      return byText(pathRegex(value(), settings.regexType, name === "-iregex"), (entry) => entry.path);
    case "-lname":
    case "-ilname": {
      const pattern = globRegex(value(), name === "-ilname");
      return async (entry) => entry.kind === "l" && pattern.test(await fs.readlink(entry.full));
    }
    case "-type":
      return typeTest(value());
    case "-samefile": {
      const full = fs.resolvePath(cwd, value());
      return (entry) => entry.full === full;
    }
    default:
      return statusTest(name, scope);
  }
}

/** Creates a test that needs the status of a file; null for other names. */
function statusTest(name: string, scope: TestScope): Test | null {
  const { fs } = scope.context;
  const value = () => scope.words.value(name);
  switch (name) {
    case "-size":
      return sizeTest(value());
    case "-empty":
      return async (entry) =>
        entry.kind === "d"
          ? (await fs.readdir(entry.full)).length === 0
          : entry.kind === "f" && (await entry.status()).size === 0;
    case "-perm":
      return permissionTest(value());
    case "-user":
    case "-uid":
    case "-group":
    case "-gid": {
      const own = value();
      return () => own === "user" || own === "1000";
    }
    case "-inum": {
      const wanted = countOf(value(), name);
      return async (entry) => compared(inodeOf(await entry.status()), wanted);
    }
    case "-links": {
      const count = countOf(value(), name);
      return (entry) => compared(entry.kind === "d" ? 2 : 1, count);
    }
    default:
      return timeTest(name, scope);
  }
}

function byText(pattern: RegExp, textOf: (entry: Entry) => string): Test {
  return (entry) => textOf(entry).search(pattern) !== -1;
}

function typeTest(list: string): Test {
  const kinds = list.split(",");
  const unknown = kinds.find((kind) => !/^[fdlbcpsD]$/.test(kind));
  if (unknown !== undefined) throw new Error(`Unknown argument to -type: ${unknown}`);
  return (entry) => kinds.includes(entry.kind);
}

/** Sizes are rounded up to their unit. */
function sizeTest(text: string): Test {
  const [, count = "", letter = "b"] = /^([-+]?\d+)([cwbkMG]?)$/.exec(text) ?? [];
  if (count === "") throw new Error(`Invalid argument '${text}' to -size`);
  const unit = UNITS[letter || "b"] ?? BLOCK;
  const wanted = countOf(count, "-size");
  return async (entry) => compared(Math.ceil((await entry.status()).size / unit), wanted);
}

/** Tests a file's time. Access and status changes are not recorded, so the last modification stands for all. */
function timeTest(name: string, { words, settings, context }: TestScope): Test | null {
  if (/^-[acm](?:time|min)$/.test(name)) {
    const wanted = countOf(words.value(name), name);
    const now = Date.now();
    const wallMs = wallTime(zoneOfCommand(context), now).getTime();
    const end = settings.fromMidnight ? now - (wallMs % DAY_MS) + DAY_MS : now;
    return async (entry) => {
      const age = end - (await entry.status()).mtime.getTime();
      if (name.endsWith("time")) return compared(Math.floor(age / DAY_MS), wanted);
      const minutes = age / MINUTE_MS;
      return compared(wanted.sign === "" ? Math.ceil(minutes) : minutes, wanted);
    };
  }
  if (/^-newer[acmB]t$/.test(name)) {
    const moment = momentOf(words.value(name), zoneOfCommand(context));
    return async (entry) => (await entry.status()).mtime.getTime() > moment;
  }
  if (!/^-(?:[ac]?newer|newer[acmB][acmB])$/.test(name)) return null;
  const file = words.value(name);
  let known: Promise<Status> | undefined;
  return async (entry) => {
    known ??= context.fs.stat(context.fs.resolvePath(context.cwd, file)).catch(() => {
      throw new Error(`'${file}': No such file or directory`);
    });
    return (await entry.status()).mtime.getTime() > (await known).mtime.getTime();
  };
}
