/**
 * Loaded before a step's script: the step ends when the build that began it is gone, however that came, and leaves the
 * place to the next one. Nothing is ever written to its standard input, which closes then; a channel would, too, but
 * what is to replace its process keeps none (src/cli/trim-memory.mjs).
 */
process.stdin.once("end", () => process.exit(1)).resume();
process.stdin.unref();
