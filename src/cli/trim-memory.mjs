import { setFlagsFromString } from "node:v8";

/**
 * What glibc's allocator reads at the start of a process: it gives memory back as soon as a large block, or a
 * megabyte at the end of its heap, is free. Left alone it raises both bounds with the largest block it has seen, and
 * each thread that once compiled something keeps some fifteen megabytes (`npm run bench -- --only start`). Bytes.
 * What it takes of the system it takes in pages of two megabytes where it may: a start reads twenty megabytes of its
 * own program, and to be given them in small pages takes a tenth of it. All threads share one heap: where each has its
 * own in pages of that size, a process keeps four megabytes more when it is ready, and a tenth more once it has worked.
 * Sources: mallopt(3); the GNU C Library, Memory Allocation Tunables.
 */
const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "1048576",
  MALLOC_ARENA_MAX: "1",
  GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
};

/**
 * What V8 reads at the start of a process, in megabytes. A heap of the first size is nothing to collect yet: a start that
 * looks through smaller ones again and again takes an eighth longer, and at twice as many the process keeps, once it
 * has worked, thirty megabytes more (`npm run bench -- --only answer`). What is new has its own part: garbage of
 * streamed answers is short-lived, and a larger part costs memory and saves no measurable time.
 */
export const HEAP = ["--initial-heap-size=48", "--max-semi-space-size=2"];

/**
 * The arguments and the environment to begin a process anew with, or null when it stays as it is: an operator has
 * chosen otherwise, or a parent holds a channel to it, which would be lost.
 * @param {readonly string[]} args
 * @param {Pick<NodeJS.Process, "platform" | "env" | "send">} program
 */
export function begunAnew(args, { platform, env, send }) {
  if (platform !== "linux" || send !== undefined) return null;
  if (Object.keys(ALLOCATOR).some((name) => env[name] !== undefined)) return null;
  return { args: [...HEAP, ...args], env: { ...env, ...ALLOCATOR } };
}

/**
 * Replaces the process by itself, with the same id, where that saves memory and time; takes some twenty milliseconds.
 * The new one takes back the flag that has made its heap: V8 takes what is compiled already, of Node's own above all, only
 * while all flags are those it was compiled with.
 * @param {NodeJS.Process} program
 */
export function trimMemory(program) {
  const { execPath, execArgv, argv } = program;
  const anew = begunAnew([...execArgv, ...argv.slice(1)], program);
  if (anew !== null) program.execve?.(execPath, [execPath, ...anew.args], anew.env);
  setFlagsFromString("--initial-heap-size=0");
}
