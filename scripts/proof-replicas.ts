import { spawnSync } from "node:child_process";
import path from "node:path";

/**
 * Runs the replicas' proof for five minutes, or for `PROOF_SECONDS` seconds; the test suite runs twenty seconds of it.
 */
const { PROOF_SECONDS = "300" } = process.env;
const vitest = path.resolve(import.meta.dirname, "../node_modules/.bin/vitest");
const { status } = spawnSync(process.execPath, [vitest, "run", "test/proof/replicas"], {
  stdio: "inherit",
  env: { ...process.env, PROOF_SECONDS },
});
process.exitCode = status ?? 1;
