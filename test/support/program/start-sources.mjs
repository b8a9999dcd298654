import { keepCompiled } from "../../../src/cli/engine.mjs";
import { trimMemory } from "../../../src/cli/trim-memory.mjs";

/** Starts the program from its sources as bin/deckhand.mjs does, without building anything. */
trimMemory(process);
keepCompiled(process, null);
await import("../../../src/main.ts");
