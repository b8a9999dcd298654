import { closeSync, constants, openSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { isBeneath, outside } from "./path-rules.ts";
import { Refusal } from "./refusal.ts";

/** A descriptor that only names a place (Linux, fcntl.h). Not among Node's constants. */
const O_PATH = 0o10000000;

/** A directory that is proven to lie beneath the root. */
export interface Directory {
  /** Its path with links resolved. */
  readonly real: string;
  /** A path for system calls on an entry; `.` is the directory itself. */
  at(name: string): string;
  /** False if the directory has since been moved or removed. */
  holds(): boolean;
  close(): void;
}

export type OpenDirectory = (root: string, path: string) => Directory;

/**
 * For Linux: opens first and then asks what was opened, so that no part of the path can be swapped between check and
 * use. Entries are accessed through the open descriptor.
 */
export const openThroughDescriptor: OpenDirectory = (root, path) => {
  const fd = openSync(path, O_PATH | constants.O_DIRECTORY);
  const place = `/proc/self/fd/${fd}`;
  const real = readlinkSync(place);
  if (!isBeneath(root, real)) {
    closeSync(fd);
    throw outside("The path");
  }
  return {
    real,
    at: (name) => `${place}/${name}`,
    holds: () => readlinkSync(place) === real,
    close: () => closeSync(fd),
  };
};

/**
 * For other systems: resolves the path and checks the result. Slower, and a program outside the sandbox that swaps
 * directories for links at the right moment can defeat it. Guests cannot make links.
 */
export const openByPath: OpenDirectory = (root, path) => {
  const real = realpathSync(path);
  if (!isBeneath(root, real)) throw outside("The path");
  if (!statSync(real).isDirectory()) throw new Refusal("A part of the path is a file, not a directory.");
  return {
    real,
    at: (name) => `${real}/${name}`,
    holds: () => realpathSync(path) === real,
    close: () => {},
  };
};

export const openDirectory: OpenDirectory = process.platform === "linux" ? openThroughDescriptor : openByPath;
