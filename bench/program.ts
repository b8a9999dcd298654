import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Bot } from "../test/support/program/bot.ts";

/** Polling interval for readiness, in milliseconds. */
const ASK_EVERY_MS = 3;

/** Starts the program and resolves with the milliseconds until it reports readiness. */
export async function startTimed(bot: Bot): Promise<number> {
  const started = performance.now();
  bot.launch();
  while (!(await isReady(bot))) {
    if (performance.now() - started > 30_000) throw new Error(`the program does not start:\n${bot.output()}`);
    await pause(ASK_EVERY_MS);
  }
  return performance.now() - started;
}

async function isReady(bot: Bot): Promise<boolean> {
  try {
    return (await bot.probe("readyz")).status === 200;
  } catch {
    return false; // nothing listens yet
  }
}

/** Resident memory of a process in megabytes, including memory shared with others, such as the code of Node. */
export function rssOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  if (kilobytes === undefined) throw new Error(`process ${pid} has no memory`);
  return Number(kilobytes) / 1_024;
}

/** Resident memory of a process and its descendants; bubblewrap runs between the program and the sandbox's process. */
export function rssOfTree(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + rssOfTree(child), rssOf(pid));
}

/** Process ids. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/**
 * Processor time in milliseconds used by a process and its ended children. Source: proc_pid_stat(5), in hundredths of a
 * second.
 */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const times = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * times.slice(11, 15).reduce((sum, time) => sum + Number(time), 0);
}
