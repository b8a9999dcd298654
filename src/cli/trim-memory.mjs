import { setFlagsFromString } from "node:v8";

/**
 * Settings that glibc's allocator reads when a process starts. It returns memory as soon as a large block, or a
 * megabyte at the end of its heap, is free. By default it raises both thresholds with the largest block seen, and each
 * thread that once compiled something keeps some fifteen megabytes (`npm run bench -- --only start`). Huge pages of two
 * megabytes are used where possible: a start reads twenty megabytes of its own program, and receiving them in small
 * pages takes a tenth of it. All threads share one arena; separate arenas in huge pages would cost four megabytes more
 * after the start, and a tenth more after work. Sizes are in bytes. Sources: mallopt(3); the GNU C Library, Memory
 * Allocation Tunables.
 */
const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "1048576",
  MALLOC_ARENA_MAX: "1",
  GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
};

/**
 * V8 options, in megabytes. Below the first size the heap is not collected; with smaller values, repeated collections
 * make a start an eighth slower, and twice the value leaves the process with thirty megabytes more after work (`npm run
 * bench -- --only answer`). The second limits the young generation: garbage of streamed answers is short-lived, and a
 * larger one costs memory and saves no measurable time.
 */
export const HEAP = ["--initial-heap-size=48", "--max-semi-space-size=2"];

/**
 * Arguments and environment with which to restart the process; null to leave it, because an operator has set these
 * variables, or a parent has an IPC channel to it that would be lost.
 * @param {readonly string[]} args
 * @param {Pick<NodeJS.Process, "platform" | "env" | "send">} program
 */
export function restartOptions(args, { platform, env, send }) {
  if (platform !== "linux" || send !== undefined) return null;
  if (Object.keys(ALLOCATOR).some((name) => env[name] !== undefined)) return null;
  return { args: [...HEAP, ...args], env: { ...env, ...ALLOCATOR } };
}

/**
 * Replaces the process by itself, under the same id, where that saves memory and time; takes some twenty milliseconds.
 * The new process resets the flag that sized its heap, because V8 accepts cached code, above all Node's own, only while
 * all flags are those it was compiled with.
 * @param {NodeJS.Process} program
 */
export function trimMemory(program) {
  const { execPath, execArgv, argv } = program;
  const restart = restartOptions([...execArgv, ...argv.slice(1)], program);
  if (restart !== null) program.execve?.(execPath, [execPath, ...restart.args], restart.env);
  setFlagsFromString("--initial-heap-size=0");
}
