import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquireLease } from "../src/core/store/database/lease.ts";
import { openStore } from "../src/core/store/store.ts";
import { requireOwn, webToken } from "../src/home.ts";
import { systemRuntime } from "../src/runtime.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "deckhand-home-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function modeOf(place: string): number {
  return statSync(place).mode & 0o777;
}

test("a new home is its owner's alone, and the way to it is not", async () => {
  const home = path.join(directory, "var/deckhand");
  await requireOwn(home, "DECKHAND_HOME");
  expect(modeOf(home)).toBe(0o700);
  const other = path.join(directory, "other");
  mkdirSync(other);
  expect(modeOf(path.dirname(home))).toBe(modeOf(other));
});

test.each([0o755, 0o750, 0o777])("a home that is there is closed to others, too: %o", async (mode) => {
  chmodSync(directory, mode);
  await requireOwn(directory, "DECKHAND_HOME");
  expect(modeOf(directory)).toBe(0o700);
});

test.runIf(process.getuid?.() === 0)(
  "a user whom the system does not know, and who has no HOME, has no files there",
  () => {
    const script = `import { instructionFiles } from "./src/home.ts"; console.log(instructionFiles({ home: "/h" }).join());`;
    const nobody = { uid: 54_321, gid: 54_321, env: {}, encoding: "utf8" } as const;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], nobody);
    expect(stdout).toBe("/h/AGENTS.md\n");
  },
);

test("a token that another user has made is reported with what to do", () => {
  const [home, file] = [directory, path.join(directory, "web-token")];
  writeFileSync(file, "t");
  chmodSync(file, 0);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const place of [home, file]) chownSync(place, 54_321, 54_321);
  const script = `import { closedIn, webToken } from "./src/home.ts";
    const [home] = process.argv.slice(1);
    console.log(await webToken(home).catch(({ problems }) => problems.join()));
    console.log((await closedIn(home)).join());`;
  const user = isRoot ? { uid: 54_321, gid: 54_321 } : {};
  const args = ["--input-type=module", "-e", script, home];
  const { stdout } = spawnSync(process.execPath, args, { ...user, env: {}, encoding: "utf8" });
  const line = `DECKHAND_HOME: ${file} cannot be written (EACCES). If another user has run Deckhand, give everything in ${home} to this one (chown -R).\n`;
  expect(stdout).toBe(`${line}${line}`);
});

/**
 * Another start, which tries to read the token again and again, and reports the length of each file when it first sees
 * it.
 */
const LOOKING = `
  const { readFileSync } = require("node:fs");
  const { parentPort, workerData } = require("node:worker_threads");
  for (const file of workerData) {
    for (let length = -1; length < 0; ) {
      try { length = readFileSync(file, "utf8").length; parentPort.postMessage(length); } catch {}
    }
  }`;

test("starts at once on a new home have one token, and it is whole from the first moment", async () => {
  const homes = Array.from({ length: 20 }, (_, index) => path.join(directory, String(index)));
  for (const home of homes) mkdirSync(home);
  const files = homes.map((home) => path.join(home, "web-token"));
  const looking = new Worker(LOOKING, { eval: true, workerData: files });
  const lengths: number[] = [];
  looking.on("message", (length: number) => lengths.push(length));
  // Registered now because the worker may end before the test awaits it.
  const ended = once(looking, "exit");
  await once(looking, "online");
  for (const home of homes) {
    const tokens = await Promise.all(Array.from({ length: 4 }, () => webToken(home)));
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).toHaveLength(32);
    expect(readdirSync(home)).toEqual(["web-token"]);
    expect(modeOf(path.join(home, "web-token"))).toBe(0o600);
  }
  await ended;
  expect(new Set(lengths)).toEqual(new Set([33]));
});

test("a database is closed to others, with all beside it and a directory that is made for it", async () => {
  const file = path.join(directory, "made/deckhand.db");
  const url = `file:${file}`;
  const open = async () => {
    const runtime = systemRuntime();
    const lease = await acquireLease({
      url,
      clock: runtime.clock,
      standby: () => {},
      signal: new AbortController().signal,
    });
    const store = await openStore(url, runtime);
    await store.transaction(() => Promise.resolve()); // The first use creates the files beside the database.
    return { lease, store };
  };
  const first = await open();
  const places = [file, `${file}-wal`, `${file}-shm`, `${file}.lease`];
  expect([path.dirname(file), ...places].map(modeOf)).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
  await first.store.close();
  await first.lease.release();
  for (const place of places) if (existsSync(place)) chmodSync(place, 0o644);
  const second = await open();
  expect(places.map(modeOf)).toEqual([0o600, 0o600, 0o600, 0o600]);
  await second.store.close();
  await second.lease.release();
});
