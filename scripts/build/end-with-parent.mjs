/**
 * Loaded before a step's script: ends the step when its build is gone for any reason, so that the next build can begin.
 * The parent's end closes standard input, to which nothing is ever written. An IPC channel would close too, but the
 * restarted process of src/cli/trim-memory.mjs would lose it.
 */
process.stdin.once("end", () => process.exit(1)).resume();
process.stdin.unref();
