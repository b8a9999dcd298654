import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { hold, text } from "../../support/model/model-script.ts";
import { openButtons } from "../../support/replicas/place.ts";
import { answerTo } from "../../support/replicas/script.ts";
import { type Asked, answer, heldAtFirst, openStage, type Stage } from "./stage.ts";

/** `PROOF_SECONDS` beyond what the suite has: a replica stands still for half a minute. */
const FROZEN_MS = Number(process.env["PROOF_SECONDS"] ?? 0) > 60 ? 30_000 : 6_000;
const PLACES = ["slack", "discord", "page"] as const;
const RUNS_AT_ONCE = 4;
/** How long a test may take on a machine that has much else to do. Milliseconds. */
const PATIENCE_MS = 600_000;

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    replicas: 2,
    crashesDatabase: true,
    settings: { mode: "agi", maxConcurrentRuns: RUNS_AT_ONCE },
  });
  await stage.town.fleet.start();
}, PATIENCE_MS);

beforeEach(() => stage.settled(), PATIENCE_MS);

afterAll(() => stage[Symbol.asyncDispose]());

/** Each is answered once, and nothing is left to be clicked. */
async function expectOnce(asked: readonly Asked[]): Promise<void> {
  for (const each of asked) await each.answered();
  await stage.settled();
  for (const { mark, answers, thread } of asked) {
    expect(answers().length, `answers to ${mark}`).toBe(1);
    await stage.until("the last edit", () => thread.byBot().every((shown) => openButtons(shown).length === 0));
  }
  const { places, model } = stage.town;
  expect(Object.values(places).flatMap(({ rateLimited }) => rateLimited())).toEqual([]);
  expect(model.violations).toEqual([]);
}

const oneEach = () => Promise.all(PLACES.map((place) => stage.ask(place)));

test(
  "what a frozen replica was at another does, and once it thaws it says nothing and starts anew",
  async () => {
    const held = heldAtFirst();
    const asked = await stage.ask("slack", held.play);
    await held.reached;
    const frozen = await stage.worker();
    const lives = frozen.exits.length;
    frozen.freeze();
    const frozenAt = performance.now();
    await asked.answered();
    await pause(FROZEN_MS - (performance.now() - frozenAt));
    held.release();
    frozen.thaw();
    await stage.until("the end of the thawed one", () => frozen.exits.length > lives);
    expect(frozen.exits.at(-1)).toBe(1);
    await expectOnce([asked, ...(await oneEach())]);
  },
  PATIENCE_MS,
);

test(
  "a replica that is told to end hands over what it is at",
  async () => {
    const held = heldAtFirst();
    const asked = await stage.ask("discord", held.play);
    await held.reached;
    const worker = await stage.worker();
    const stopping = worker.stop();
    await asked.answered();
    expect(await stopping).toBe(0);
    await worker.start();
    await expectOnce([asked]);
  },
  PATIENCE_MS,
);

test(
  "where the database is five and forty milliseconds away, everything is answered once",
  async () => {
    for (const delayMs of [5, 40]) {
      stage.database.delayMs = delayMs;
      await expectOnce(await oneEach());
    }
    stage.database.delayMs = 0;
  },
  PATIENCE_MS,
);

test(
  "connections to the database that break cost a start at most",
  async () => {
    const held = heldAtFirst();
    const asked = [await stage.ask("page", held.play), await stage.ask("slack")];
    await held.reached;
    stage.database.cut();
    held.release();
    await expectOnce(asked);
    for (const { exits } of stage.town.fleet.replicas) expect([undefined, null, 0, 1]).toContain(exits.at(-1));
  },
  PATIENCE_MS,
);

test(
  "PostgreSQL restarts, and nothing is lost",
  async () => {
    const held = heldAtFirst();
    const asked = await stage.ask("slack", held.play);
    await held.reached;
    await crashDatabase(stage.town.databaseUrl);
    held.release();
    await expectOnce([asked, ...(await oneEach())]);
  },
  PATIENCE_MS,
);

test(
  "twenty threads of one channel keep one of another waiting on no replica",
  async () => {
    const gate = hold();
    const slow = await Promise.all(
      Array.from({ length: 20 }, () =>
        stage.ask("discord", ({ number }) => [gate.part, text(answerTo(`c${number}.1`))], 1),
      ),
    );
    const beside = await stage.ask("discord", answer, 2);
    await beside.answered();
    expect(slow.filter(({ requests }) => requests() > 0).length).toBeLessThan(2 * RUNS_AT_ONCE);
    gate.release();
    await expectOnce([...slow, beside]);
  },
  PATIENCE_MS,
);

/** As if the server had crashed: it ends all its connections, forgets its locks, and comes up by itself. */
async function crashDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined); // it is cut off, too
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const [{ pid } = { pid: 0 }] = rows;
  const gone = new Promise((resolve) => client.once("end", resolve));
  process.kill(pid, "SIGKILL");
  await gone;
}
