import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { createSession } from "../../contracts/engine-recorder.ts";
import { type Postgres, query, startPostgres } from "../../support/database/postgres.ts";

const PROGRAM = path.join(import.meta.dirname, "replica-process.ts");

interface Replica {
  readonly name: string;
  readonly process: ChildProcess;
  /** Lines that the replica has reported, oldest first. */
  readonly told: readonly string[];
  say(line: string): void;
  until(word: string): Promise<void>;
}

let postgres: Postgres;
let url: string;
let store: Store;
/** Live replicas, which the tests share because a start takes longer than most tests. */
const replicas: Replica[] = [];
let started = 0;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase();
  store = await openStore(url, systemRuntime());
  await query(url, "CREATE TABLE posts (key text, replica text)");
});

afterEach(async ({ task }) => {
  // Neither the retry of a failed test nor the next test uses its replicas.
  if (task.result?.state === "fail") await end(...replicas);
  await posts();
});

afterAll(async () => {
  await end(...replicas);
  await store.close();
  await postgres.stop();
});

async function start(): Promise<Replica> {
  started += 1;
  const name = `replica-${started}`;
  const child = spawn(process.execPath, [PROGRAM, url, name], { stdio: ["pipe", "pipe", "inherit"] });
  const told: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => told.push(line));
  const until = (word: string) => expect.poll(() => told, { interval: 5 }).toContain(word);
  const replica = { name, process: child, told, say: (line: string) => void child.stdin.write(`${line}\n`), until };
  replicas.push(replica);
  await until("up");
  return replica;
}

async function end(...ended: readonly Replica[]): Promise<void> {
  for (const replica of ended) {
    const { process: child } = replica;
    replicas.splice(replicas.indexOf(replica), 1);
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once("exit", resolve));
  }
}

/** Returns a replica that runs alone. */
async function alone(): Promise<Replica> {
  const [first = await start(), ...others] = replicas;
  await end(...others);
  return first;
}

/** Returns two replicas beside which no other runs. */
async function pair(): Promise<readonly [Replica, Replica]> {
  const [first = await start(), second = await start(), ...others] = replicas;
  await end(...others);
  return [first, second];
}

async function posts(): Promise<readonly { key: string; replica: string }[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query("DELETE FROM posts RETURNING key, replica")).rows;
  } finally {
    await client.end();
  }
}

/** Id of the session's run if the replica has reported beginning it; otherwise empty. */
function runIn(replica: Replica, sessionId: string): string {
  return replica.told.find((line) => line.startsWith(`began ${sessionId} `))?.split(" ")[2] ?? "";
}

async function begun(replica: Replica, sessionId: string): Promise<void> {
  await expect.poll(() => runIn(replica, sessionId), { interval: 5 }).not.toBe("");
}

/** Delivers an event to one of two replicas, and returns them by which executes the session's run. */
async function heldByOne(key: string, id: string): Promise<{ readonly owner: Replica; readonly other: Replica }> {
  const [first, second] = await pair();
  first.say(`deliver ${id} ${key}`);
  return Promise.race([
    begun(first, id).then(() => ({ owner: first, other: second })),
    begun(second, id).then(() => ({ owner: second, other: first })),
  ]);
}

test("replicas that start concurrently on a new database all become ready", async () => {
  await Promise.all([start(), start(), start()]);
});

test("a stop reaches the run on whichever replica it is", async () => {
  const id = await createSession(store);
  const { owner, other } = await heldByOne(`${id}:long`, id);
  other.say(`stop ${id} ${runIn(owner, id)}`);
  await owner.until(`stopped ${id}`);
  expect((await store.runs.open(id)) ?? null).toBeNull();
  expect(await posts()).toEqual([]);
});

test("events accepted by a replica that is shutting down run on another replica", async () => {
  const id = await createSession(store);
  const [first, second] = await pair();
  first.say("leave");
  first.say(`deliver ${id} ${id}:late`);
  await second.until(`ended ${id}`);
  expect(await posts()).toEqual([{ key: expect.any(String), replica: second.name }]);
  await end(first);
});

test("a frozen replica is taken over, and after it thaws it posts and commits nothing", async () => {
  const id = await createSession(store);
  const { owner, other } = await heldByOne(`${id}:frozen`, id);
  owner.process.kill("SIGSTOP");
  await begun(other, id);
  await other.until(`ended ${id}`);
  owner.process.kill("SIGCONT");
  await owner.until("lost");
  await owner.until(`refused ${id}`);
  expect(await posts()).toEqual([{ key: expect.any(String), replica: other.name }]);
  await end(owner);
});

test("a replica that freezes in a transaction blocks no other replica", async () => {
  const id = await createSession(store);
  const { owner, other } = await heldByOne(`${id}:locked`, id);
  await owner.until(`locked ${id}`);
  owner.process.kill("SIGSTOP");
  await begun(other, id);
  await other.until(`ended ${id}`);
  owner.process.kill("SIGCONT");
  await owner.until(`refused ${id}`);
  expect(await posts()).toEqual([{ key: expect.any(String), replica: other.name }]);
  await end(owner);
});

test("an event that was stored but never enqueued is found", async () => {
  const id = await createSession(store);
  const replica = await alone();
  await store.transaction((tx) => {
    const at = Date.now();
    const event = { key: `${id}:forgotten`, body: { kind: "resume" as const, of: id } };
    return tx.inbox.insert({ sessionId: id, event, wakes: true, resumes: false, dueAt: at, at });
  });
  await replica.until(`ended ${id}`);
  expect(await posts()).toHaveLength(1);
});

test("hundreds of waiting threads in one channel do not delay the first threads of another channel", async () => {
  const crowd = await Promise.all(Array.from({ length: 150 }, () => createSession(store, "crowded")));
  const others = await Promise.all(["one", "two", "three"].map((channel) => createSession(store, channel)));
  const replica = await alone();
  const before = replica.told.length;
  replica.say(`crowd ${crowd.join(",")}`);
  replica.say(`crowd ${others.join(",")}`);
  for (const id of others) await replica.until(`ended ${id}`);
  // Allows for the runs that the process already executes or has queued, and some more.
  const ended = replica.told.slice(before).filter((line) => line.startsWith("ended ")).length;
  expect(ended).toBeLessThan(100);
  for (const id of crowd) await replica.until(`ended ${id}`);
});

test("a killed replica is taken over, and each of its runs posts once", async () => {
  const sessions = await Promise.all(Array.from({ length: 20 }, () => createSession(store)));
  const first = await alone();
  for (const id of sessions) first.say(`deliver ${id} ${id}:long`);
  for (const id of sessions) await begun(first, id);
  const second = await start();
  await end(first);
  for (const id of sessions) await second.until(`ended ${id}`);
  const posted = await posts();
  expect(posted.map(({ replica }) => replica)).toEqual(sessions.map(() => second.name));
  expect(new Set(posted.map(({ key }) => key)).size).toBe(sessions.length);
});
