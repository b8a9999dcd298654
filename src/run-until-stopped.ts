import { flushCompileCache } from "node:module";
import { startApp } from "./app.ts";
import { startupErrorLines } from "./cli/startup-error.ts";
import type { Terminal } from "./cli/terminal.ts";
import { secretsOf } from "./config/describe.ts";
import type { Config } from "./config.ts";
import { type AppError, ConfigError, toAppError } from "./core/protocol/errors.ts";
import type { Log } from "./core/protocol/log.ts";
import { createLogger } from "./operations/logging.ts";
import { STOP_WITHIN_MS } from "./operations/stop-times.ts";
import { systemRuntime } from "./runtime.ts";

/** Time after which platforms have usually loaded their code, in milliseconds. */
const LOADED_MS = 5_000;

/** Maximum time to wait for leftover work after the parts have stopped, in milliseconds. */
const LEFT_BEHIND_MS = 100;

/**
 * Signals within this time count as one, because `npm start` repeats the Ctrl+C that the terminal has already sent. In
 * milliseconds.
 */
const ONE_SIGNAL_MS = 500;

/** Runs the program until a signal or a failure ends it. A second signal ends it at once. */
export async function runUntilStopped(config: Config, terminal: Terminal): Promise<void> {
  const secrets = secretsOf(config);
  const log = createLogger(config.logLevel, secrets);
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<void>();
  onSignal((signal) => {
    log.info({ signal }, "stopping");
    forceExit(log);
    stopping.abort();
    stopped.resolve();
  });
  for (const warning of config.warnings) terminal.error(`⚠ ${warning}`);
  const proxyReport = reportProxy(config, terminal, stopping.signal);
  try {
    const app = await startApp({
      config,
      runtime: systemRuntime(),
      log,
      secrets,
      say: (line) => terminal.out(line),
      signal: stopping.signal,
    });
    // Node writes its compile cache only when the process exits by itself, so it is flushed in case of a kill.
    setTimeout(flushCompileCache, LOADED_MS).unref();
    const drained = app.drained.then(() => {
      log.info({}, "draining");
      terminal.out("⏳ Asked to hand over: the other processes continue what runs here, and this one exits.");
      return null;
    });
    const failure = await Promise.race([app.failed, stopped.promise.then(() => null), drained]);
    stopping.abort();
    if (failure !== null) {
      log.error({ error: failure }, "failed");
      report(failure, terminal);
      forceExit(log);
    }
    await app.stop();
    await proxyReport;
  } catch (error) {
    if (stopping.signal.aborted) return;
    if (!(error instanceof ConfigError)) log.error({ error }, "start_failed");
    report(toAppError(error), terminal);
    forceExit(log);
  } finally {
    // Everything is closed. Requests to a platform that never answers are dropped.
    setTimeout(() => process.exit(), LEFT_BEHIND_MS).unref();
  }
}

/** Warns about an unreachable proxy, since otherwise everything behind it would appear to be down. */
async function reportProxy(config: Config, terminal: Terminal, signal: AbortSignal): Promise<void> {
  if (config.proxy === null) return;
  const { checkProxy } = await import("./cli/doctor/check-proxy.ts");
  const findings = await checkProxy(config, { signal }).catch(() => []); // it stops
  for (const { ok, text } of findings) if (!ok) terminal.error(`⚠ ${text}`);
}

/** Stops the program at the first signal and ends the process at a later one. */
function onSignal(stop: (signal: NodeJS.Signals) => void): void {
  let firstAt: number | null = null;
  const onSignalled = (signal: NodeJS.Signals) => {
    if (firstAt !== null) {
      if (performance.now() - firstAt > ONE_SIGNAL_MS) process.exit(1);
      return;
    }
    firstAt = performance.now();
    stop(signal);
  };
  // SIGHUP comes when the terminal is closed.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignalled);
}

/**
 * Ends the process after a time limit. Interrupted work continues in the next process, because all state is in the
 * database.
 */
function forceExit(log: Log): void {
  setTimeout(() => {
    log.error({ afterMs: STOP_WITHIN_MS }, "stop_cut_off");
    process.exit(1);
  }, STOP_WITHIN_MS).unref();
}

function report(error: AppError, terminal: Terminal): void {
  for (const line of startupErrorLines(error)) terminal.error(line);
  terminal.fail();
}
