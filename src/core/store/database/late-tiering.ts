import { setFlagsFromString } from "node:v8";
import type { DatabaseClient } from "./client.ts";

/**
 * Bytes that a WebAssembly function has run, roughly, before it is compiled once more, to run faster. Prisma plans each
 * shape of query once: left alone, a start compiles half of the planner for what is over by then.
 */
const LATE_TIERING = "--wasm-tiering-budget=1000000000";
/** As V8 has it by itself. */
export const USUAL_TIERING = "--wasm-tiering-budget=13000000";

/**
 * Loads the planner. V8 takes what Node, the build and earlier starts have compiled only while its flags are those it was
 * compiled with: this one is changed no sooner than it must be, when most is loaded.
 */
export async function connectedLate<C extends Pick<DatabaseClient, "$connect">>(client: C): Promise<C> {
  setFlagsFromString(LATE_TIERING);
  await client.$connect();
  return client;
}
