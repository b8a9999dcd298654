import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { commit, fill, gitSession } from "./git-session.ts";

const SECRET = "hunter2-4711";
const TOKEN = `ghp_${"a1B2".repeat(9)}`;
const KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5v${SECRET}\n-----END OPENSSH PRIVATE KEY-----\n`;

/** Secrets of each kind, committed, changed, and removed again. */
function leaked() {
  const session = gitSession({ empty: true });
  const { git, put } = session;
  fill(session.root, "leaked", () => {
    git(["init", "--quiet", "--template="]);
    put(".env", `DB_PASSWORD=${SECRET}\n`);
    put(".pgpass", `db.test:5432:app:app:${SECRET}\n`);
    symlinkSync(".pgpass", path.join(session.root, "linked.txt"));
    put("notes.txt", KEY);
    put("src/app.ts", "export const limit = 1;\n");
    commit(session, `Begin, with ${TOKEN}`);
    put(".env", `DB_PASSWORD=${SECRET}-again\n`);
    put("src/app.ts", `export const token = "${TOKEN}";\nexport const limit = 2;\n`);
    commit(session, "Go on");
    git(["rm", "--quiet", ".env", "notes.txt"]);
    commit(session, "Clean up");
    put("prod.env", `DB_PASSWORD=${SECRET}\n`);
    git(["add", "prod.env"]);
  });
  // A copied link becomes the file that it points to.
  git(["checkout", "--quiet", "--", "linked.txt"]);
  return session;
}

test.each([
  { input: { action: "show" }, says: /\.env looks like a file of environment variables/u },
  { input: { action: "show", revision: "HEAD~1" }, says: /src\/app\.ts looks like a token/u },
  { input: { action: "show", revision: "HEAD~2" }, says: /notes\.txt looks like a private key/u },
  { input: { action: "show", revision: "HEAD~1:.env" }, says: /git does not show its content/u },
  { input: { action: "show", revision: ":0:prod.env" }, says: /prod\.env looks like/u },
  { input: { action: "show", revision: "HEAD~1:notes.txt" }, says: /notes\.txt looks like a private key/u },
  { input: { action: "diff", revision: "HEAD~1..HEAD" }, says: /notes\.txt looks like/u },
  { input: { action: "diff", staged: true }, says: /prod\.env looks like/u },
  { input: { action: "log" }, says: /Begin, with \[secret/u },
  { input: { action: "blame", path: ".env", revision: "HEAD~1" }, says: /\.env looks like/u },
  { input: { action: "blame", path: "notes.txt", revision: "HEAD~1" }, says: /notes\.txt looks like/u },
  { input: { action: "blame", path: ".pgpass/" }, says: /\.pgpass looks like/u },
  { input: { action: "blame", path: ".pgpass/.", revision: "HEAD" }, says: /\.pgpass looks like/u },
  { input: { action: "blame", path: "linked.txt" }, says: /\.pgpass looks like/u },
  { input: { action: "blame", path: "src/app.ts" }, says: /src\/app\.ts looks like a token/u },
])("git $input masks committed secrets", async ({ input, says }) => {
  const text = textOf((await leaked().run(input)).content);
  expect(text).toMatch(says);
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain(TOKEN);
});

test.each([
  (blob: string) => ({ action: "show", revision: blob }),
  (blob: string) => ({ action: "show", revision: `${blob.slice(0, 7)}^{blob}` }),
  (blob: string) => ({ action: "diff", revision: `${blob}..HEAD:src/app.ts` }),
  () => ({ action: "show", revision: "a-tag" }),
])("a blob is not shown without its file name, %#", async (asked) => {
  const session = leaked();
  const blob = session.git(["rev-parse", "HEAD:.pgpass"]).trim();
  session.git(["tag", "-a", "-m", "A tag", "a-tag", blob]);
  const { content, isError } = await session.run(asked(blob));
  expect(textOf(content)).toMatch(/^That names a file's content without its path/u);
  expect(isError).toBe(true);
});

test("a sample file such as .env.example is shown unmasked", async () => {
  const session = gitSession();
  session.put(".env.example", "DB_PASSWORD=changeme\n");
  commit(session, "Show how");
  expect(textOf((await session.run({ action: "show" })).content)).toContain("+DB_PASSWORD=changeme");
});
