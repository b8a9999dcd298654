import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const PROGRAM = fileURLToPath(new URL("./volume-process.ts", import.meta.url));

let postgres: Postgres;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
});

afterEach(() => {
  for (const each of processes.splice(0)) each.kill("SIGKILL");
});

afterAll(() => postgres.stop());

/** A path that means another directory to each process, as on machines without a shared volume. */
const HERE = "/proc/self/cwd/home";

/** Starts a replica and waits for what it says about its directory. */
async function start(
  url: string,
  { machine, directory = HERE, version = "this" }: { machine: string; directory?: string; version?: "this" | "older" },
) {
  mkdirSync(path.join(machine, "home"), { recursive: true });
  const replica = fork(PROGRAM, [url, directory, version], { cwd: machine });
  processes.push(replica);
  const [said] = await once(replica, "message");
  return { pid: replica.pid, said: String(said), replica };
}

test("a replica shows that it shares the directory of the first one, and leaves nothing there", async () => {
  const [url, machine] = [await postgres.createDatabase(), tempDirectory()];
  const first = await start(url, { machine });
  expect(first.said).toBe("the first");
  for (let more = 0; more < 2; more += 1) {
    expect((await start(url, { machine })).said).toBe(`shown by test:${first.pid}`);
  }
  expect(readdirSync(path.join(machine, "home"))).toEqual([]);
});

test("one that has another directory under the same path is refused, until it is the only one", async () => {
  const [url, elsewhere] = [await postgres.createDatabase(), tempDirectory()];
  const first = await start(url, { machine: tempDirectory() });
  const refused = await start(url, { machine: elsewhere });
  expect(refused.said).toContain(
    `DECKHAND_HOME: ${HERE} is not the same directory as on replica test:${first.pid}: mount the same volume on both.`,
  );
  first.replica.kill("SIGKILL");
  await once(first.replica, "exit");
  expect((await start(url, { machine: elsewhere })).said).toBe("the first");
});

test("one that has the same directory under another path is refused", async () => {
  const [url, machine] = [await postgres.createDatabase(), tempDirectory()];
  const first = await start(url, { machine });
  const refused = await start(url, { machine, directory: path.join(machine, "home") });
  expect(refused.said).toContain(
    `is not one of the directories of replica test:${first.pid}: use the same paths on all replicas.`,
  );
});

test("one beside a replica of an earlier version, which knows no such question, begins and says so", async () => {
  const [url, machine] = [await postgres.createDatabase(), tempDirectory()];
  const first = await start(url, { machine, version: "older" });
  const { said } = await start(url, { machine });
  expect(said).toContain(`could not be compared with those of replica test:${first.pid}, which runs another version`);
});
