import { keepCompiled, tuneEngine } from "../../../src/cli/engine.mjs";
import { trimMemory } from "../../../src/cli/trim-memory.mjs";

/** Starts the program as bin/deckhand.mjs does, from its sources, and builds nothing. */
trimMemory(process);
tuneEngine();
keepCompiled(process, null);
await import("../../../src/main.ts");
