import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Runs `npm start` as in README.md until the program is ready, then ends it by a signal to npm alone, as a supervisor
 * would. Exits with code 1 if either fails. Runs on Node 20.
 */

/** Longer than any machine takes to build everything, in milliseconds. */
const PATIENCE_MS = 600_000;
/**
 * Ports below those of concurrent tests and below the system's ephemeral range: the port must stay free until
 * everything is built.
 */
const PORTS = { first: 10_000, last: 19_999, attempts: 50 };

const home = mkdtempSync(path.join(tmpdir(), "deckhand-start-"));
const port = await freePort();
const began = Date.now();
const npm = spawn("npm", ["start"], {
  env: { ...process.env, PORT: String(port), DECKHAND_HOME: home },
  stdio: ["ignore", "inherit", "inherit"],
});
const ended = once(npm, "exit");
try {
  await until(isReady, "/readyz does not answer 200");
  process.stdout.write(`ready after ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
  npm.kill("SIGTERM");
  await ended;
  await until(async () => !(await isReady()), "the program outlives npm start");
} finally {
  npm.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
}

async function isReady() {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
  } catch {
    return false; // nothing listens yet
  }
}

async function until(condition, otherwise) {
  while (!(await condition())) {
    const isOver = npm.exitCode !== null && !npm.killed;
    if (isOver || Date.now() - began > PATIENCE_MS) throw new Error(otherwise);
    await pause(100);
  }
}

async function freePort() {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(PORTS.first, PORTS.last + 1);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
      server.close();
      return port;
    } catch (error) {
      if (attempt === PORTS.attempts) throw error;
    }
  }
}
