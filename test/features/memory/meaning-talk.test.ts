import { expect, test } from "vitest";
import { startEmbeddings } from "../../support/model/embeddings-server.ts";
import { text } from "../../support/model/model-script.ts";
import { asked, inDatabase, typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

const TOLD = "our supplier raised its fee";
const ASKED = "what is the price of the vendor?";

const withEmbeddings = (url: string) =>
  slackOffice({
    settings: { memory: { learn: false, embeddings: { model: "vllm/small" } } },
    env: { VLLM_BASE_URL: url },
  });

/** Memories that have a vector of a size. */
function made(at: SlackOffice, dimensions = 128): number {
  const sql = 'SELECT COUNT(*) FROM "MemoryVector" WHERE LENGTH("bytes") = ?';
  return inDatabase(at, (database) => Number(database.prepare(sql).pluck().get(dimensions)));
}

test("what is told is known by a question in other words, in its channel alone; without the provider words find it", async () => {
  await using server = await startEmbeddings();
  await using at = await withEmbeddings(server.url);
  at.model.script(() => text("Noted."));
  await at.bot.start();
  const channel = at.channel();
  await typed(at, `add ${TOLD}`, { channel });
  await at.until("its vector", () => made(at) === 1);
  expect(await asked(at, ASKED, { channel })).toContain(TOLD);
  expect(await asked(at, "where shall we have lunch?", { channel })).not.toContain(TOLD);

  server.set("never");
  expect(await asked(at, "what about our supplier?", { channel })).toContain(TOLD);
  expect(at.bot.output()).toContain("recall_without_embeddings");
});

test("killed while vectors are made, all are made after the next start", async () => {
  await using server = await startEmbeddings();
  await using at = await withEmbeddings(server.url);
  at.model.script(() => text("Noted."));
  await at.bot.start();
  const channel = at.channel();
  server.set("never");
  await typed(at, `add ${TOLD}`, { channel });
  await typed(at, "add the doctor is in on Mondays", { channel });
  await at.until("a request", () => server.seen() > 0);
  await at.bot.kill("SIGKILL");
  expect(made(at)).toBe(0);
  server.set("well");
  await at.bot.start();
  await at.until("the vectors", () => made(at) === 2);
  expect(await asked(at, ASKED, { channel })).toContain(TOLD);
  // Each was asked for once, beside the request that was cut off.
  expect(server.batches.flat().filter((each) => each.includes("supplier"))).toHaveLength(1);
});

test("vectors of another size are made in the background, while words go on finding", async () => {
  await using server = await startEmbeddings();
  await using at = await withEmbeddings(server.url);
  at.model.script(() => text("Noted."));
  await at.bot.start();
  const channel = at.channel();
  await typed(at, `add ${TOLD}`, { channel });
  await typed(at, "add the doctor is in on Mondays", { channel });
  await at.until("their vectors", () => made(at) === 2);

  // The model answers with another size, and slowly: a question's vector comes, those of memories do not yet.
  server.resize(96);
  server.holdBack((input) => input.some((each) => each.startsWith("ana: ")));
  expect(await asked(at, "what about our supplier?", { channel })).toContain(TOLD);
  expect(await asked(at, ASKED, { channel })).not.toContain(TOLD);
  expect([made(at), made(at, 96)]).toEqual([2, 0]);

  server.holdBack(() => false);
  await at.until("the vectors of the new size", () => made(at, 96) === 2);
  expect(await asked(at, ASKED.toUpperCase(), { channel })).toContain(TOLD);

  // So are those of what somebody says otherwise.
  await typed(at, "edit 1 the boss is on holiday", { channel });
  await at.until("its vector", () => made(at, 96) === 2);
  expect(await asked(at, "when is the manager's vacation?", { channel })).toContain("the boss is on holiday");
});
