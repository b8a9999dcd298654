import { execFile } from "node:child_process";
import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { isBeneath } from "./workspace/path-rules.ts";

/**
 * What a confined child sees of the machine besides its program and the system's libraries, as absolute paths. Paths
 * that are missing when a child is started become visible to the next one.
 */
export interface ConfinedPaths {
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  /** Directories that appear empty to the child, except for what is listed beneath them. */
  readonly hidden: readonly string[];
}

/**
 * The places visible to a child, as they were when it was started. A place that was removed and made again is a
 * different one.
 */
export interface ConfinedView {
  /** How to start Node so that it sees only these places. */
  readonly bwrap: string;
  readonly args: readonly string[];
  readonly mounts: readonly Mount[];
}

interface Mount {
  readonly kind: "writable" | "readable" | "hidden";
  /** With links resolved. */
  readonly real: string;
  readonly identity: string;
}

/** Confinement of the sandbox's process by bubblewrap: no network, and no files but its own places. */
export interface Confinement {
  readonly isRequired: boolean;
  /** Tries the confinement once; null if it works, else what is missing. */
  readonly problem: () => Promise<string | null>;
  /** What a child started now with this program would see. */
  readonly view: (childFile: string, buildDir: string) => ConfinedView;
}

/** Paths where distributions install bubblewrap. */
const BWRAP = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/**
 * No network, no other processes and no way to gain privileges; the file system is assembled from nothing. The
 * environment is already empty except for the channel to the bot.
 */
const ISOLATION = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"];
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

/**
 * Creates the confinement. If `isRequired`, nothing runs without it. `bwrap` is the path of the program; null if it is
 * not installed.
 */
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

/** In milliseconds. */
const TRIAL_MS = 10_000;

async function tryIt(view: () => ConfinedView): Promise<string | null> {
  try {
    const { bwrap, args } = view();
    await promisify(execFile)(bwrap, [...args, "--version"], { env: {}, timeout: TRIAL_MS });
    return null;
  } catch (error) {
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const [reason = ""] = (stderr === "" && error instanceof Error ? error.message : stderr).split("\n");
    return `bubblewrap cannot confine a process here (${reason}); it needs user namespaces, which the system or the container may refuse`;
  }
}

/** The files of the child's program: the directory of the bundle, or the sources with their imports. */
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
  // Nested places are mounted after the places that contain them.
  const mounts = given
    .map(({ kind, directory }) => mountOf(kind, directory))
    .toSorted((a, b) => a.real.length - b.real.length);
  const links = linksTo(
    mounts,
    given.map(({ directory }) => directory),
  );
  const args = [...ISOLATION, ...SYSTEM, ...mounts.flatMap(argsOf), ...links, "--remount-ro", "/", "--chdir", "/"];
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

/** Links under which the places are known. */
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

/** Whether a child with this view can access a path and finds there what is there now. */
export function canAccess({ mounts }: ConfinedView, file: string): boolean {
  const real = realpathSync(file);
  const mount = mounts.findLast(({ real: place }) => isBeneath(place, real));
  return mount !== undefined && mount.kind !== "hidden" && mount.identity === identityOf(mount.real);
}
