import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Bot } from "../test/support/program/bot.ts";

/** How often a start is asked whether it is ready. Milliseconds. */
const ASK_EVERY_MS = 3;

/** Starts the program and resolves with the milliseconds until it says that it is ready. */
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

/** What of a process is in memory: its own and what it shares with others, like the code of Node. Megabytes. */
export function rssOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  if (kilobytes === undefined) throw new Error(`process ${pid} has no memory`);
  return Number(kilobytes) / 1_024;
}

/** The same with all that it has started; bubblewrap stands between the program and the sandbox's process. */
export function rssOfTree(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + rssOfTree(child), rssOf(pid));
}

/** Process ids. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/** Time of a processor that a process has used, and those of its children that have ended. Milliseconds. Source: proc_pid_stat(5), in hundredths of a second. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const times = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * times.slice(11, 15).reduce((sum, time) => sum + Number(time), 0);
}
