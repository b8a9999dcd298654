import { describe, expect, test } from "vitest";
import { finishDeletions } from "../../../src/features/retention/finish-deletions.ts";
import { findPerson, markPerson } from "../../../src/features/retention/person/delete-person.ts";
import { useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { runCli } from "../../support/program/cli.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { deathsOf, type RetentionWorld, retentionWorld, type WorldOptions } from "./retention-world.ts";
import { seedSession } from "./seed.ts";
import { PERSON, seedPerson } from "./seed-person.ts";

const NEVER = AbortSignal.any([]);

const emptied = useEmptiedPostgres();

async function deletePerson(world: RetentionWorld): Promise<void> {
  await markPerson(PERSON, world);
  await finishDeletions(world, NEVER);
}

/** Where something of them is left: words, id, or name, which the audit log keeps. */
async function tracesOfPerson(world: RetentionWorld): Promise<string[]> {
  const found = await Promise.all(["alonegoes", "sharedgoes", "U0HERON"].map((word) => world.traces(word)));
  const isKept = (place: string) => place === "AuditEntry" || place.startsWith("deckhand.db");
  const named = (await world.traces("heronname")).filter((place) => !isKept(place));
  return [...found.flat(), ...named];
}

describe.each<[string, () => Promise<WorldOptions>]>([
  ["SQLite", async () => ({})],
  ["PostgreSQL", async () => ({ database: await emptied() })],
])("on %s", (_name, options) => {
  test("deleting a person removes all of their traces, and keeps what others have written", async () => {
    const world = await retentionWorld(await options());
    await seedPerson(world);
    expect(await findPerson(PERSON, world)).toMatchObject({
      sessions: 1,
      messages: 251,
      memories: 2,
      jobs: 1,
      openRuns: 0,
    });
    const others = async () => (await world.traces("grebestays")).filter((place) => !place.startsWith("deckhand.db"));
    const before = await others();
    await deletePerson(world);
    expect(await tracesOfPerson(world)).toEqual([]);
    // A summary and results of steps were made of everybody's words.
    const made = ["Compaction", "JournalEntry", "JobOccurrence", "MemoryLesson"];
    expect((await others()).filter((place) => !made.includes(place))).toEqual(
      before.filter((place) => !made.includes(place)),
    );
    expect(await world.store.tables((db) => db.deletion.count())).toBe(0);
  });

  test("transcripts stay readable with a marker and a pseudonym, which the ledger uses as well", async () => {
    const world = await retentionWorld(await options());
    await seedPerson(world);
    await deletePerson(world);
    const [message] = await world.store.tables((db) => db.message.findMany({ where: { id: "theirs" } }));
    expect(message).toMatchObject({
      content: '[{"type":"text","text":"[deleted]"}]',
      authorName: "somebody",
      authorId: expect.stringMatching(/^slack:deleted-[0-9a-f]{12}$/u),
    });
    expect(await world.store.messages.list("ses_both")).toHaveLength(253);
    const events = await world.store.inbox.takenSince("ses_both", 0);
    expect(events.some(({ body }) => body.kind === "message" && body.text === "[deleted]")).toBe(true);
    const spent = await world.store.tables((db) => db.usage.findMany({ select: { personId: true, costUsd: true } }));
    expect(spent).toEqual(
      expect.arrayContaining([
        { personId: "slack:U2", costUsd: 0.5 },
        { personId: message?.authorId, costUsd: 0.5 },
      ]),
    );
  });
});

test("today's spending keeps its person until the day is over, so that deletion evades no limit", async () => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "alonegoes", person: PERSON, personName: "heronname" });
  // A call that a crash has cut: what it may have cost is charged a day later.
  const amount = { inputTokens: 1, inputUsd: null, calls: 0, costUsd: 1, tokens: 1 };
  const lost = { runId: "run_lost", sessionId: "ses_both", channelId: "slack:C1", model: "anthropic/m", ...amount };
  const data = { ...lost, personId: PERSON, createdAt: new Date(world.runtime.clock.now()) };
  await world.store.transaction((tx) => tx.tables((db) => db.budgetReservation.create({ data })));
  await deletePerson(world);
  expect(await world.traces("alonegoes")).toEqual([]);
  expect(await world.store.tables((db) => db.usage.count({ where: { personId: PERSON } }))).toBe(1);
  const tomorrow = { ...world.runtime.clock, now: () => Date.now() + 86_400_000 };
  await finishDeletions({ ...world, runtime: { clock: tomorrow } }, NEVER);
  expect(await tracesOfPerson(world)).toEqual([]);
});

test("after a kill at any time the next start finishes a person's deletion", { timeout: 240_000 }, async () => {
  const before = await retentionWorld();
  await seedPerson(before);
  await before.store.close();
  const { homes, steps } = await deathsOf(before.home, deletePerson, 5);
  expect(steps).toBeGreaterThan(30);
  for (const [index, home] of homes.entries()) {
    const after = await retentionWorld({ home });
    await finishDeletions(after, NEVER);
    expect(await tracesOfPerson(after), `killed after transaction ${1 + 5 * index}`).toEqual([]);
    expect(await after.store.tables((db) => db.deletion.count())).toBe(0);
  }
});

test("deckhand data delete --person reports how much was deleted, and is refused during the person's run", async () => {
  const cwd = tempDirectory();
  const world = await retentionWorld({ home: `${cwd}/data` });
  await seedSession(world, { id: "ses_live", word: "ruff", person: PERSON, isOver: false });
  await seedPerson(world);
  const run = () => runCli(["data", "delete", "--person", PERSON], { cwd, env: {} });
  expect(await run()).toEqual({
    out: "",
    error: `✗ A run is in progress in threads that ${PERSON} takes part in: stop them first. Nothing was deleted.`,
    failed: true,
  });
  await world.store.transaction((tx) => tx.tables((db) => db.run.updateMany({ data: { status: "ended" } })));
  const { out, failed } = await run();
  expect({ lines: out.split("\n"), failed }).toEqual({
    lines: [
      `✓ The data stored about ${PERSON} was deleted:`,
      "· 2 sessions that nobody else has written in: deleted entirely",
      "· 251 messages alongside others': replaced by a mark",
      "· 3 memories by them or about them",
      "· 1 job",
    ],
    failed: false,
  });
  expect(await world.traces("sharedgoes")).toEqual([]);
  const audit = await world.store.tables((db) => db.auditEntry.findMany({ where: { act: "person.deleted" } }));
  expect(audit).toMatchObject([{ by: "command line", about: expect.stringMatching(/^slack:deleted-/u) }]);
});
