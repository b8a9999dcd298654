import { expect, onTestFinished, test } from "vitest";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { startPostgres } from "../../support/database/postgres.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const AT = 1_800_000_000_000;
const DATABASES = {
  SQLite: () => Promise.resolve({ url: `file:${tempDirectory()}/revisions.db`, stop: () => Promise.resolve() }),
  PostgreSQL: async () => {
    const postgres = await startPostgres();
    return { url: await postgres.createDatabase(), stop: () => postgres.stop() };
  },
};

function add(
  store: Store,
  { id, after, name, content }: { id: string; after: number; name: string; content: string | null },
) {
  const revision = { kind: "skill" as const, name, content, by: "ana", at: AT };
  return store.transaction((tx) => tx.revisions.add(id, after, revision));
}

test.each(Object.entries(DATABASES))("%s numbers what is set, and keeps all of it", async (_name, open) => {
  const { url, stop } = await open();
  onTestFinished(stop);
  const store = await openStore(url, systemRuntime());
  onTestFinished(() => store.close());
  const named = { kind: "skill" as const, name: "review" };

  expect(await store.revisions.newest(named)).toBeNull();
  expect(await store.revisions.newestOf("skill")).toEqual([]);
  for (const [after, content] of ["one", "two", null].entries())
    expect(await add(store, { id: `rev_${after}`, after, name: "review", content })).toMatchObject({
      type: "saved",
      revision: { ...named, number: after + 1, content, by: "ana", at: AT },
    });
  await add(store, { id: "rev_other", after: 0, name: "deploy", content: "a" });

  expect((await store.revisions.newestOf("skill")).map(({ name, number, content }) => [name, number, content])).toEqual(
    [
      ["deploy", 1, "a"],
      ["review", 3, null],
    ],
  );
  expect(await store.revisions.newestOf("agent")).toEqual([]);
  const older = await store.revisions.history(named, { before: 3, limit: 10 });
  expect(older.map(({ number, content }) => [number, content])).toEqual([
    [2, "two"],
    [1, "one"],
  ]);
  expect(await store.revisions.count()).toBe(4);

  const late = await add(store, { id: "rev_late", after: 1, name: "review", content: "late" });
  expect(late).toMatchObject({ type: "conflict", newest: { number: 3, content: null } });
  const ahead = await add(store, { id: "rev_ahead", after: 7, name: "review", content: "ahead" });
  expect(ahead).toMatchObject({ type: "conflict" });

  const together = await Promise.all(
    ["a", "b", "c", "d"].map((content) => add(store, { id: `rev_${content}`, after: 3, name: "review", content })),
  );
  const saved = together.flatMap((answer) => (answer.type === "saved" ? [answer.revision.content] : []));
  expect(saved).toHaveLength(1);
  expect(await store.revisions.newest(named)).toMatchObject({ number: 4, content: saved[0] });
});
