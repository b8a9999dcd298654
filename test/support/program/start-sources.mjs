import { keepCompiled } from "../../../src/cli/engine.mjs";
import { trimMemory } from "../../../src/cli/trim-memory.mjs";

/** Starts the program as bin/deckhand.mjs does, from its sources, and builds nothing. */
trimMemory(process);
keepCompiled(process, null);
await import("../../../src/main.ts");
