import { isMainThread } from "node:worker_threads";
import { cut } from "./without.mjs";

/** Makes a sandbox's process and each of its workers create a new memory for each call. */
const { child, file, part } = isMainThread
  ? {
      child: "main.ts",
      file: "/child/pool.ts",
      part: ['new URL("./worker.ts", import.meta.url)', `new URL("${import.meta.url}")`],
    }
  : { child: "worker.ts", file: "/child/memory-image.ts", part: ["this.#memory = memory;", ";"] };
cut([file, ...part]);
await import(new URL(`../../src/tools/wasm/child/${child}`, import.meta.url));
