import { expect, test } from "vitest";
import { sessionKeyOf } from "../../../src/core/platform/thread.ts";
import { openStore } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { query, startPostgres } from "../../support/database/postgres.ts";

test("concurrent new sessions in a channel whose row was deleted are all created", async () => {
  await using parts = new AsyncDisposableStack();
  const postgres = await startPostgres();
  parts.defer(() => postgres.stop());
  const url = await postgres.createDatabase();
  const store = await openStore(url, systemRuntime());
  parts.defer(() => store.close());
  const create = (id: string, begun: () => Promise<void> = () => Promise.resolve()) =>
    store.transaction(async (tx) => {
      await begun();
      const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: id } as const;
      const place = { key: sessionKeyOf(thread), thread, channel: { name: "ops", kind: "channel" } };
      return tx.sessions.create({ ...place, id, workspaceName: "Acme", agent: "build", createdBy: "slack:U1", at: 1 });
    });
  await create("first");
  await query(url, 'DELETE FROM "Session"; DELETE FROM "Channel"');

  const all = Promise.withResolvers<void>();
  let count = 0;
  const begun = () => {
    count += 1;
    if (count === 2) all.resolve();
    return all.promise;
  };
  const created = await Promise.all(["second", "third"].map((id) => create(id, begun)));
  expect(created.map(({ id }) => id)).toEqual(["second", "third"]);
});
