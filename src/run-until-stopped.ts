import { flushCompileCache } from "node:module";
import { startApp } from "./app.ts";
import type { Terminal } from "./cli/terminal.ts";
import { secretsOf } from "./config/describe.ts";
import type { Config } from "./config.ts";
import { type AppError, ConfigError, toAppError } from "./core/protocol/errors.ts";
import { explain } from "./core/protocol/explain.ts";
import { createLogger } from "./logging.ts";
import { systemRuntime } from "./runtime.ts";

/** By then platforms that connect on their own time have loaded what they need. Milliseconds. */
const LOADED_MS = 5_000;

/** Runs the program until a signal or a failure ends it. A second signal ends it at once. */
export async function runUntilStopped(config: Config, terminal: Terminal): Promise<void> {
  const log = createLogger({ level: config.logLevel, secrets: secretsOf(config) });
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<void>();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => {
      log.info({ signal: name }, "stopping");
      stopping.abort();
      stopped.resolve();
      process.once(name, () => process.exit(1));
    });
  }
  for (const warning of config.warnings) terminal.error(`⚠ ${warning}`);
  try {
    const app = await startApp({
      config,
      runtime: systemRuntime(),
      log,
      say: (line) => terminal.out(line),
      signal: stopping.signal,
    });
    // Node keeps what it compiled when the process ends by itself; one that is killed has kept it before.
    setTimeout(flushCompileCache, LOADED_MS).unref();
    const failure = await Promise.race([app.failed, stopped.promise.then(() => null)]);
    stopping.abort();
    await app.stop();
    if (failure !== null) report(failure, terminal);
  } catch (error) {
    if (stopping.signal.aborted) return;
    if (!(error instanceof ConfigError)) log.error({ error }, "start_failed");
    report(toAppError(error), terminal);
  }
}

function report(error: AppError, terminal: Terminal): void {
  const lines = error instanceof ConfigError ? error.problems.map((problem) => `✗ ${problem}`) : [explain(error)];
  for (const line of lines) terminal.error(line);
  terminal.fail();
}
