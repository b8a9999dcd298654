import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { beforeEach, expect, test } from "vitest";
import { query } from "../../support/database/postgres.ts";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import { openButtons } from "../../support/replicas/place.ts";
import { answerTo } from "../../support/replicas/script.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { type Asked, answer, heldAtFirst, openStage, type Play, type Stage } from "./stage.ts";

/** How long a replica stays frozen, in milliseconds: half a minute if `PROOF_SECONDS` asks for more than the suite. */
const FROZEN_MS = Number(process.env["PROOF_SECONDS"] ?? 0) > 60 ? 30_000 : 6_000;
const PLACES = ["slack", "discord", "page"] as const;
const RUNS_AT_ONCE = 4;
/** Maximum duration of a test on a machine that is busy with other work. In milliseconds. */
const PATIENCE_MS = 600_000;

/** Dump of an earlier version's database, in which a run waits for a person's decision in this thread of the page. */
const OLDER = path.resolve(import.meta.dirname, "../../support/database/older-database.postgresql.sql");
const THREAD = "11111111-1111-4111-8111-111111111111";

let stage: Stage;

// Both replicas start at once on an older version's database.
useShared(
  async () => {
    stage = await openStage({
      replicas: 2,
      crashesDatabase: true,
      settings: { mode: "write", maxConcurrentRuns: RUNS_AT_ONCE },
      fill: (url) => query(url, readFileSync(OLDER, "utf8")),
    });
    await stage.town.fleet.start();
  },
  () => stage[Symbol.asyncDispose](),
  PATIENCE_MS,
);

beforeEach(() => stage.settled(), PATIENCE_MS);

/** Checks that each is answered once, and that no button is left to click. */
async function expectOnce(asked: readonly Asked[]): Promise<void> {
  for (const each of asked) await each.answered();
  await stage.settled();
  for (const { mark, answers, thread } of asked) {
    // Until then the live message may show the answer, too.
    await stage.until("the last edit", () => thread.byBot().every((shown) => openButtons(shown).length === 0));
    expect(answers().length, `answers to ${mark}`).toBe(1);
  }
  const { places, model } = stage.town;
  expect(Object.values(places).flatMap(({ rateLimited }) => rateLimited())).toEqual([]);
  expect(model.violations).toEqual([]);
}

const oneEach = (channel?: number) => Promise.all(PLACES.map((place) => stage.ask(place, answer, channel)));

test(
  "replicas that start concurrently on an older version's database migrate it once, and one continues its parked run",
  async () => {
    const { fleet, places } = stage.town;
    const file = path.join(fleet.sandboxRoot("web-main"), "notes.txt");
    expect(existsSync(file)).toBe(false);
    const page = await places.page.open();
    const messages = (await page.thread(THREAD)) ?? [];
    const card = messages.find(({ body }) => body.buttons.some(({ label }) => label === "Allow once"));
    const allow = card?.body.buttons.find(({ label }) => label === "Allow once");
    page.say({ type: "click", clickId: randomUUID(), messageId: card?.id ?? "", action: allow?.id ?? "" });
    await stage.until("the file", () => existsSync(file));
    await stage.until("the answer", async () =>
      ((await page.thread(THREAD)) ?? []).some(({ body }) => body.markdown.includes("Nobody has asked.")),
    );
    expect(readFileSync(file, "utf8")).toBe("hello\n");
    await page.drop();
  },
  PATIENCE_MS,
);

test(
  "another replica takes over from a frozen one, which posts nothing once it thaws and restarts",
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
  "during a rolling restart replicas hand over their work, and everything is answered once",
  async () => {
    const held = heldAtFirst();
    const asked = [await stage.ask("discord", held.play)];
    await held.reached;
    const worker = await stage.worker();
    const stopping = worker.stop();
    await asked[0]?.answered();
    expect(await stopping).toBe(0);
    const rolled = new AbortController();
    const ask = async () => {
      while (!rolled.signal.aborted) {
        const some = await oneEach(asked.length);
        asked.push(...some);
        for (const each of some) await each.answered();
      }
    };
    const asking = ask();
    try {
      await worker.start();
      for (const replica of stage.town.fleet.replicas.filter((each) => each !== worker)) {
        // On a busy machine a stop may be cut off and end with another code, which does not matter here.
        await replica.stop();
        await replica.start();
      }
    } finally {
      rolled.abort();
      await asking;
    }
    await expectOnce(asked);
  },
  PATIENCE_MS,
);

test(
  "with a database latency of five and forty milliseconds everything is answered once",
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
  "broken database connections cost at most a restart",
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
  "a restart of PostgreSQL loses nothing",
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
  "twenty threads of one channel do not delay another channel on any replica",
  async () => {
    const gate = hold();
    let open = 0;
    const held: Play = ({ number }, { ended }) => {
      open += 1;
      const over = () => {
        open -= 1;
      };
      ended.then(over, over);
      return [gate.part, text(answerTo(`c${number}.1`))];
    };
    const slow = await Promise.all(Array.from({ length: 20 }, () => stage.ask("discord", held, 1)));
    await gate.reached;
    const beside = await stage.ask("discord", answer, 2);
    await beside.answered();
    // On a busy machine a replica may be considered dead, and another one continues its runs in addition.
    expect(open).toBeLessThan(2 * RUNS_AT_ONCE);
    gate.release();
    await expectOnce([...slow, beside]);
  },
  PATIENCE_MS,
);

test(
  "sessions written by a newer version are left to it, and all others continue",
  async () => {
    const { databaseUrl } = stage.town;
    const parked = await stage.ask("slack", (standing, request, index) =>
      standing.step === 0
        ? toolUse("ask_user_question", { question: "Which port?", options: ["8080", "9090"] })
        : answer(standing, request, index),
    );
    const card = () => parked.thread.byBot().find(({ buttons }) => buttons.some(({ id }) => id.startsWith("answer:")));
    await stage.until("the question", () => card() !== undefined);
    await stage.settled();
    // As if a newer version had written the session in a format that this one does not know.
    await query(
      databaseUrl,
      `UPDATE "Session" SET format = 1000 WHERE "updatedAt" = (SELECT max("updatedAt") FROM "Session")`,
    );
    const shown = card();
    const button = shown?.buttons.find(({ id }) => id.startsWith("answer:"));
    if (shown !== undefined && button !== undefined) parked.thread.click(shown, button.id);
    const requests = parked.requests();
    await expectOnce(await oneEach(3));
    expect(parked.requests()).toBe(requests);
    expect(parked.answers()).toEqual([]);
    await query(databaseUrl, `UPDATE "Session" SET format = 1 WHERE format = 1000`);
    await expectOnce([parked]);
  },
  PATIENCE_MS,
);

/** Makes the database crash: the server ends all connections, forgets its locks, and recovers by itself. */
async function crashDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined); // The crash cuts this connection off as well.
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const [{ pid } = { pid: 0 }] = rows;
  const gone = new Promise((resolve) => client.once("end", resolve));
  process.kill(pid, "SIGKILL");
  await gone;
}
