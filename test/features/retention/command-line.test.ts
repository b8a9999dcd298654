import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../../support/program/cli.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { retentionWorld } from "./retention-world.ts";
import { seedSession } from "./seed.ts";

/** A home, and the command line in the directory above it. */
async function commandLine() {
  const cwd = tempDirectory();
  const world = await retentionWorld({ home: `${cwd}/data` });
  return { world, deckhand: (...args: string[]) => runCli(args, { cwd, env: {} }) };
}

test("deckhand data delete --session deletes the session, reports it, and is audited", async () => {
  const { world, deckhand } = await commandLine();
  await seedSession(world, { id: "ses_1", word: "herongoes" });
  const { out, failed } = await deckhand("data", "delete", "--session", "ses_1");
  expect({ out, failed }).toEqual({
    out: "✓ ses_1 was deleted, with its sub-agents' sessions and what was learned from it.",
    failed: false,
  });
  expect(await world.traces("herongoes")).toEqual([]);
  const audit = await world.store.tables((db) => db.auditEntry.findMany({ where: { act: "session.deleted" } }));
  expect(audit).toMatchObject([{ by: "command line", about: "ses_1" }]);
});

test.each([
  [
    "in which a run goes on",
    "ses_1",
    "✗ A run of this session is in progress or about to begin. Stop it first. Nothing was deleted.",
  ],
  [
    "that there is not",
    "ses_9",
    "✗ There is no session ses_9. A sub-agent's session is deleted with the session that started it.",
  ],
  [
    "of a sub-agent",
    "ses_2",
    "✗ There is no session ses_2. A sub-agent's session is deleted with the session that started it.",
  ],
])("a session %s is refused with one line", async (_name, id, line) => {
  const { world, deckhand } = await commandLine();
  await seedSession(world, { id: "ses_1", word: "heron", isOver: false });
  await seedSession(world, { id: "ses_2", word: "below", parentId: "ses_1" });
  expect(await deckhand("data", "delete", "--session", id)).toEqual({ out: "", error: line, failed: true });
  expect(await world.store.tables((db) => db.auditEntry.count())).toBe(0);
});

test.each(["data delete --person slack:U1", "memory stats", "user list", "user remove ana"])(
  "%s: a missing database is reported, and none is created",
  async (line) => {
    const cwd = tempDirectory();
    const { out, error, failed } = await runCli(line.split(" "), { cwd, env: {} });
    expect({ out, failed }).toEqual({ out: "", failed: true });
    expect(error).toContain("✗ DATABASE_URL: there is no ");
    expect(readdirSync(cwd)).toEqual([]);
  },
);
