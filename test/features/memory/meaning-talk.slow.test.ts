import { beforeEach, expect, test } from "vitest";
import { type EmbeddingsServer, startEmbeddings } from "../../support/model/embeddings-server.ts";
import { text } from "../../support/model/model-script.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { asked, inDatabase, typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

const TOLD = "our supplier raised its fee";
const ASKED = "what is the price of the vendor?";

let server: EmbeddingsServer;
let at: SlackOffice;

useShared(
  async () => {
    server = await startEmbeddings();
    at = await slackOffice({
      settings: { memory: { learn: false, embeddings: { model: "vllm/small" } } },
      env: { VLLM_BASE_URL: server.url },
    });
    at.model.script(() => text("Noted."));
    await at.bot.start();
  },
  async () => {
    await at[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  },
);

beforeEach(() => server.set("well"));

/** Memories that have a vector of a size. */
function made(dimensions = 128): number {
  const sql = 'SELECT COUNT(*) FROM "MemoryVector" WHERE LENGTH("bytes") = ?';
  return inDatabase(at, (database) => Number(database.prepare(sql).pluck().get(dimensions)));
}

test("a memory is found by a paraphrased question, and not by an unrelated one", async () => {
  const channel = at.channel();
  await typed(at, `add ${TOLD}`, { channel });
  await at.until("its vector", () => made() === 1);
  expect(await asked(at, ASKED, { channel })).toContain(TOLD);
  expect(await asked(at, "where shall we have lunch?", { channel })).not.toContain(TOLD);
});

test("after a kill during embedding, all vectors are created after the next start", async () => {
  const channel = at.channel();
  const before = made();
  const sent = () => server.batches.flat().filter((each) => each.includes("doctor")).length;
  server.set("never");
  const seen = server.seen();
  await typed(at, "add the doctor is in", { channel });
  await typed(at, "add the heron is grey", { channel });
  await at.until("a request", () => server.seen() > seen);
  await at.bot.kill("SIGKILL");
  expect(made()).toBe(before);
  server.set("well");
  await at.bot.start();
  await at.until("the vectors", () => made() === before + 2);
  expect(await asked(at, "is the physician in?", { channel })).toContain("the doctor is in");
  // Each was asked for once, beside the request that was cut off.
  expect(sent()).toBe(1);
});

test("vectors of another size are recomputed in the background, while search by words works", async () => {
  const channel = at.channel();
  const told = "our supplier raised its fee again";
  const before = made();
  const [, number = ""] = /#(\d+)/u.exec(await typed(at, `add ${told}`, { channel })) ?? [];
  await typed(at, "add the ferry is blue", { channel });
  await at.until("their vectors", () => made() === before + 2);

  // The model answers with another size, and slowly: a question's vector comes, those of memories do not yet.
  server.resize(96);
  server.holdBack((input) => input.some((each) => each.startsWith("ana: ")));
  expect(await asked(at, "what about our supplier?", { channel })).toContain(told);
  expect(await asked(at, ASKED, { channel })).not.toContain(told);
  expect([made(), made(96)]).toEqual([before + 2, 0]);

  server.holdBack(() => false);
  await at.until("the vectors of the new size", () => made(96) === before + 2);
  expect(await asked(at, ASKED.toUpperCase(), { channel })).toContain(told);

  // So are those of what somebody says otherwise.
  await typed(at, `edit ${number} the boss is on holiday`, { channel });
  await at.until("its vector", () => made(96) === before + 2);
  expect(await asked(at, "when is the manager's vacation?", { channel })).toContain("the boss is on holiday");
});

test("without the embeddings provider memories are found by their words", async () => {
  const channel = at.channel();
  await typed(at, "add the dunlin port is 8443", { channel });
  server.set("never");
  expect(await asked(at, "what of the dunlin port?", { channel })).toContain("8443");
  expect(at.bot.output()).toContain("recall_without_embeddings");
});
