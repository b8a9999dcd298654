import { execFile } from "node:child_process";
import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { isBeneath } from "./workspace/path-rules.ts";

/**
 * What of the machine a confined child sees, beside its own program and the system's libraries: absolute paths. Those
 * that are not there when a child is started come in sight of the next one.
 */
export interface ConfinedPaths {
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  /** Empty for the child, but for what is listed beneath it. */
  readonly hidden: readonly string[];
}

/** Places as a child was started with: one that was removed and made again is another one. */
export interface ConfinedView {
  /** How Node is started so that it sees these alone. */
  readonly bwrap: string;
  readonly args: readonly string[];
  readonly mounts: readonly Mount[];
}

interface Mount {
  readonly kind: "writable" | "readable" | "hidden";
  /** Links resolved. */
  readonly real: string;
  readonly identity: string;
}

/** The system's own confinement of the sandbox's process, by bubblewrap: no network, and of the files its places alone. */
export interface Confinement {
  readonly isRequired: boolean;
  /** Tries it, once; null where it holds, else what is missing. */
  readonly problem: () => Promise<string | null>;
  /** What a child that is started now with this program sees. */
  readonly view: (childFile: string, buildDir: string) => ConfinedView;
}

/** Where distributions install it. */
const BWRAP = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/**
 * No network, no processes of others, no right that it could gain; what it sees is put together from nothing. The
 * environment is empty already, but for the channel to the bot.
 */
const ALONE = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"];
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store"];
const SYSTEM = [
  ...LIBRARIES.flatMap((directory) => ["--ro-bind-try", directory, directory]),
  "--proc",
  "/proc",
  "--dev",
  "/dev",
  "--tmpfs",
  "/tmp",
];

/** `isRequired`: nothing runs where it is missing. `bwrap`: the program; null where there is none. */
export function createConfinement(
  places: ConfinedPaths,
  isRequired: boolean,
  bwrap: string | null = findBwrap(),
): Confinement {
  const view = (parts: readonly string[]): ConfinedView => viewOf(bwrap ?? "", places, parts);
  let tried: Promise<string | null> | undefined;
  const problem = (): Promise<string | null> => {
    tried ??= bwrap === null ? Promise.resolve(NOT_INSTALLED) : tryIt(() => view([]));
    return tried;
  };
  return { isRequired, problem, view: (childFile, buildDir) => view([...programOf(childFile), buildDir]) };
}

const NOT_INSTALLED = "bubblewrap is not installed (bwrap; the package is called bubblewrap)";

function findBwrap(): string | null {
  return BWRAP.find((file) => existsSync(file)) ?? null;
}

/** Milliseconds. */
const TRIAL_MS = 10_000;

async function tryIt(view: () => ConfinedView): Promise<string | null> {
  try {
    const { bwrap, args } = view();
    await promisify(execFile)(bwrap, [...args, "--version"], { env: {}, timeout: TRIAL_MS });
    return null;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const [reason = ""] = (said === "" && error instanceof Error ? error.message : said).split("\n");
    return `bubblewrap cannot confine a process here (${reason}); it needs user namespaces, which the system or the container may refuse`;
  }
}

/** What the child's program is made of: the directory of the bundle, or the sources with what they import. */
function programOf(childFile: string): string[] {
  if (!childFile.endsWith(".ts")) return [path.dirname(childFile)];
  const application = path.resolve(path.dirname(childFile), "../../../..");
  return ["src", "node_modules", "package.json"].map((part) => path.join(application, part));
}

function viewOf(bwrap: string, places: ConfinedPaths, program: readonly string[]): ConfinedView {
  const node = realpathSync(process.execPath);
  const given = [
    ...places.hidden.map((directory) => ({ kind: "hidden", directory }) as const),
    ...places.writable.map((directory) => ({ kind: "writable", directory }) as const),
    ...[node, ...program, ...places.readable].map((directory) => ({ kind: "readable", directory }) as const),
  ].filter(({ directory }) => existsSync(directory));
  // What lies beneath another place is put over it.
  const mounts = given
    .map(({ kind, directory }) => mountOf(kind, directory))
    .toSorted((a, b) => a.real.length - b.real.length);
  const links = linksTo(
    mounts,
    given.map(({ directory }) => directory),
  );
  const args = [...ALONE, ...SYSTEM, ...mounts.flatMap(argsOf), ...links, "--remount-ro", "/", "--chdir", "/"];
  return { bwrap, args: [...args, "--", node], mounts };
}

function mountOf(kind: Mount["kind"], directory: string): Mount {
  const real = realpathSync(directory);
  return { kind, real, identity: identityOf(real) };
}

function argsOf({ kind, real }: Mount): string[] {
  if (kind === "hidden") return ["--tmpfs", real];
  return [kind === "writable" ? "--bind" : "--ro-bind", real, real];
}

/** Names by which places are known that lead there by links. */
function linksTo(mounts: readonly Mount[], given: readonly string[]): string[] {
  const there = mounts.map(({ real }) => real);
  return given
    .toSorted((a, b) => a.length - b.length)
    .flatMap((name) => {
      if (there.some((known) => isBeneath(known, name))) return [];
      there.push(name);
      return ["--symlink", realpathSync(name), name];
    });
}

function identityOf(real: string): string {
  const { dev, ino } = statSync(real, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
  return `${dev}:${ino}`;
}

/** Whether a child with this view reaches a path, and finds there what is there now. */
export function sees({ mounts }: ConfinedView, file: string): boolean {
  const real = realpathSync(file);
  const mount = mounts.findLast(({ real: place }) => isBeneath(place, real));
  return mount !== undefined && mount.kind !== "hidden" && mount.identity === identityOf(mount.real);
}
