import { expect, test } from "vitest";
import { play, type Turn } from "../../support/trust/play.ts";
import { bash, fetch, read, type wiki, write } from "../../support/trust/steps.ts";
import { useSandbox } from "../file-session.ts";

const SECRET = "hunter2-4711";
const SHOWN = "secret DB_PASSWORD of .env, 12 characters";
const FACT = `⚠ In it, and shown here by its name alone: ${SHOWN}`;
const FILES = { ".env": `DB_PASSWORD=${SECRET}\n` };
const READ: Turn = { says: "what is in .env?", does: [read(".env")] };

const sandbox = useSandbox();

/** The card of a call after a person has approved the reading of the file. */
async function cardOf(call: ReturnType<typeof wiki>, before: readonly Turn[] = [READ]): Promise<string> {
  const turns = [...before, { says: "go on", does: [call], clicks: "n" } as const];
  const { cards } = await play(turns, { files: FILES, pages: { "docs.test/": "hello" } }, sandbox);
  return cards.at(-1)?.[0] ?? "";
}

test.each([
  ["an address", fetch(`http://docs.test/?d=${SECRET}`)],
  ["an address, encoded", fetch(`http://docs.test/?d=${Buffer.from(SECRET).toString("base64url")}`)],
  ["a command", bash(`echo ${SECRET} > a.txt`)],
  ["a file", write("deploy.yml", `password: ${SECRET}\n`)],
])("the card of %s with a secret from a file names the secret and its file, but not its value", async (...[, call]) => {
  const card = await cardOf(call);
  expect(card).toContain(FACT);
  expect(card).toContain(`[${SHOWN}; `);
  expect(card).not.toContain(SECRET);
});

test("a secret is named even if the card's text is cut before it, and a cut shows no part of it", async () => {
  const lines = Array.from({ length: 60 }, (_, at) => `echo ${at}`);
  expect(await cardOf(bash([...lines, `echo ${SECRET}`].join("\n")))).toContain(FACT);
  const decided = await play(
    [READ, { says: "go on", does: [bash(`echo ${"x".repeat(68)} ${SECRET}`)], clicks: "n" }],
    { files: FILES },
    sandbox,
  );
  expect(JSON.stringify(decided.office.messages("1"))).not.toContain("hunter");
});

test("a secret is recognised by its file after a restart", async () => {
  const restarted: Turn = { says: "hello", restarts: true };
  expect(await cardOf(bash(`echo ${SECRET}`), [READ, restarted])).toContain(FACT);
});

test("the card of a call without secrets mentions none", async () => {
  expect(await cardOf(bash("echo hello > a.txt"))).not.toContain("secret");
});
