import { setFlagsFromString } from "node:v8";
import type { DatabaseClient } from "./client.ts";

/**
 * Rough number of bytes that a WebAssembly function executes before V8 recompiles it for speed. Prisma plans each shape
 * of query only once, so by default a start would compile half of the planner for work that is already over.
 */
const LATE_TIERING = "--wasm-tiering-budget=1000000000";
/** V8's default. */
export const USUAL_TIERING = "--wasm-tiering-budget=13000000";

/**
 * Loads the planner. V8 accepts code cached by Node, the build and earlier starts only while its flags are those of its
 * compilation, so this flag is changed as late as possible, when most code is loaded.
 */
export async function connectedLate<C extends Pick<DatabaseClient, "$connect">>(client: C): Promise<C> {
  setFlagsFromString(LATE_TIERING);
  await client.$connect();
  return client;
}
