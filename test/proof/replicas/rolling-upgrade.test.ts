import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { query } from "../../support/database/postgres.ts";
import { toolUse } from "../../support/model/model-script.ts";
import { type Asked, answer, openStage, type Stage } from "./stage.ts";

/** The database of an earlier version, in which a run waits for a person's decision in this thread of the page. */
const OLDER = path.resolve(import.meta.dirname, "../../support/database/older-database.postgresql.sql");
const THREAD = "11111111-1111-4111-8111-111111111111";
const PATIENCE_MS = 600_000;

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    replicas: 2,
    settings: { mode: "write" },
    fill: (url) => query(url, readFileSync(OLDER, "utf8")),
  });
}, PATIENCE_MS);

afterAll(() => stage[Symbol.asyncDispose]());

async function expectOnce(asked: readonly Asked[]): Promise<void> {
  for (const each of asked) await each.answered();
  await stage.settled();
  for (const { mark, answers } of asked) expect(answers().length, `answers to ${mark}`).toBe(1);
}

test(
  "replicas that start at once on an older version's database migrate it once, and one goes on with its parked run",
  async () => {
    const { fleet, places } = stage.town;
    await fleet.start();
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
  "while one replica after the other is ended and started, everything is answered once",
  async () => {
    const asked: Asked[] = [];
    const rolled = new AbortController();
    const ask = async () => {
      while (!rolled.signal.aborted) {
        const one = await Promise.all(
          (["slack", "discord", "page"] as const).map((place) => stage.ask(place, answer, asked.length)),
        );
        asked.push(...one);
        for (const each of one) await each.answered();
      }
    };
    const asking = ask();
    try {
      for (const replica of stage.town.fleet.replicas) {
        // A stop may be cut off on a busy machine, and then ends with another code: that changes nothing here.
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
  "what a newer version has had of a session, this one leaves to it, and goes on with everything else",
  async () => {
    const { databaseUrl, model } = stage.town;
    const parked = await stage.ask("slack", (standing, request, index) =>
      standing.step === 0
        ? toolUse("ask_user_question", { question: "Which port?", options: ["8080", "9090"] })
        : answer(standing, request, index),
    );
    const card = () => parked.thread.byBot().find(({ buttons }) => buttons.some(({ id }) => id.startsWith("answer:")));
    await stage.until("the question", () => card() !== undefined);
    await stage.settled();
    // As if a newer one had been at it: it alone knows what the session holds.
    await query(
      databaseUrl,
      `UPDATE "Session" SET format = 1000 WHERE "updatedAt" = (SELECT max("updatedAt") FROM "Session")`,
    );
    const shown = card();
    const button = shown?.buttons.find(({ id }) => id.startsWith("answer:"));
    if (shown !== undefined && button !== undefined) parked.thread.click(shown, button.id);
    const requests = parked.requests();
    await expectOnce(
      await Promise.all((["slack", "discord", "page"] as const).map((place) => stage.ask(place, answer, 3))),
    );
    expect(parked.requests()).toBe(requests);
    expect(parked.answers()).toEqual([]);
    await query(databaseUrl, `UPDATE "Session" SET format = 1 WHERE format = 1000`);
    await expectOnce([parked]);
    expect(model.violations).toEqual([]);
  },
  PATIENCE_MS,
);
