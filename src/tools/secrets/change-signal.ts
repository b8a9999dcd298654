import { unwatchFile, watchFile } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { keysDirectory } from "./sealing-key.ts";

/**
 * Polling interval for the watched file, in milliseconds. Polls because change notifications are not available on every
 * machine and file system.
 */
const GLANCE_MS = 1_000;

/** A file that the command line writes after it has changed stored secrets, and that a running program watches. */
export interface ChangeSignal {
  /** Notifies a program running on this home. */
  send(home: string): Promise<void>;
  /** Calls back at each signal, until the abort signal. */
  watch(home: string, received: () => void, signal: AbortSignal): void;
}

export function changeSignal(fileName: string): ChangeSignal {
  const fileIn = (home: string) => path.join(keysDirectory(home), fileName);
  return {
    async send(home) {
      await mkdir(keysDirectory(home), { recursive: true, mode: 0o700 });
      await writeFile(fileIn(home), "", { mode: 0o600 });
    },
    watch(home, received, signal) {
      const file = fileIn(home);
      watchFile(file, { persistent: false, interval: GLANCE_MS }, received);
      signal.addEventListener("abort", () => unwatchFile(file));
    },
  };
}
