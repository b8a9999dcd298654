/**
 * The sandbox child: a process with an empty environment that runs guests in worker threads. It communicates only with
 * the bot and ends with it. Its one argument is the directory of the built guests.
 */
import { setFlagsFromString } from "node:v8";
import { DefectError } from "../../../core/protocol/errors.ts";
import type { GuestAnswer } from "../../network/guest-answer.ts";
import { type FromChild, type RunMessage, toChildSchema } from "./messages.ts";
import { createModuleCache } from "./modules.ts";
import { createPool } from "./pool.ts";

/**
 * Roughly the bytes that a WebAssembly function must run before V8 compiles it again to run faster: eight times V8's
 * default. Most children see only a few calls, which end before that pays off, and half a second of computing is enough
 * to reach it. The flag is not set on the command line because V8 would then reject Node's precompiled code.
 */
const LATE_TIERING = "--wasm-tiering-budget=100000000";

setFlagsFromString(LATE_TIERING);
const buildDir = process.argv[2];
if (buildDir === undefined) throw new DefectError("the sandbox child needs the directory of the built guests");
const pool = createPool(createModuleCache(buildDir));

/** Receivers of answers, by the id of the call whose guest waits for a fetch. */
const fetching = new Map<number, (answer: GuestAnswer) => void>();

async function answer(message: RunMessage): Promise<void> {
  const { id } = message;
  const tell = (news: FromChild["news"]): void => void process.send?.({ id, news } satisfies FromChild);
  const outcome = await pool.run(message, {
    changed: (files) => tell({ type: "changed", files: [...files] }),
    fetch: (request, answered) => {
      fetching.set(id, answered);
      tell({ type: "fetch", request });
    },
    printed: (text) => tell({ type: "printed", text }),
    grown: tell,
  });
  fetching.delete(id);
  tell(outcome);
}

process.on("message", (raw) => {
  const message = toChildSchema.parse(raw);
  switch (message.type) {
    case "cancel":
      return pool.cancel(message.id);
    case "certain":
      return pool.certain(message.untilMs);
    case "fetched":
      return fetching.get(message.id)?.(message.answer);
    case "run":
      answer(message).catch((error: unknown) => {
        throw error; // ends the process, whose state can no longer be trusted
      });
  }
});

// The bot decides when the child ends: Ctrl+C in a terminal, or closing it, reaches both, and the bot may still be
// draining.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", () => process.exit(0));
