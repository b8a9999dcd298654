import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

/**
 * Loaded before the program (NODE_OPTIONS) by `npm run bench -- --only worth`: removes one optimisation, to show what
 * it is worth. The program itself has no switch for it.
 */
const name = process.env["DECKHAND_BENCH_WITHOUT"];

/** For each optimisation the end of the source's path, the code with it, and the code without it. */
const CUTS = {
  "pre-warming": ["/src/operations/warm-up.ts", "await step();", ""],
  collection: ["/src/operations/warm-up.ts", 'runInNewContext("gc()");', ""],
  statements: [
    "/src/core/store/database/sqlite-adapter/statements.ts",
    "this.#kept.get(sql) ?? this.#prepare(sql)",
    "this.#prepare(sql)",
  ],
};

if (name === "trimming") beginUntrimmed();
else if (name !== undefined && name !== "nothing") cut(CUTS[name]);

/** Patches modules that this thread loads. */
export function cut([ending, from, to]) {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith(ending)) return loaded;
      const source = readFileSync(new URL(url), "utf8");
      if (!source.includes(from)) throw new Error(`${ending} does not hold ${from}`);
      return { ...loaded, source: source.replace(from, to) };
    },
  });
}

/**
 * Starts the program again without the allocator's variables, which are read when a process begins. The `send` function
 * keeps the program from restarting itself with them, as it does not restart if it has a channel to its parent.
 */
function beginUntrimmed() {
  const { MALLOC_MMAP_THRESHOLD_: chosen, MALLOC_TRIM_THRESHOLD_: _, GLIBC_TUNABLES: __, ...env } = process.env;
  if (chosen !== undefined)
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], env);
  Object.assign(process, { send: () => false });
}
