import { useCompileCache } from "../../../src/cli/compile-cache.mjs";
import { trimMemory } from "../../../src/cli/trim-memory.mjs";

/** Starts the program from its sources as bin/deckhand.mjs does, without building anything. */
trimMemory(process);
useCompileCache(process, null);
await import("../../../src/main.ts");
