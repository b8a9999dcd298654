import { expect, test } from "vitest";
import { keepingNotices, noticesOf } from "../../../src/core/progress/run-notices.ts";
import type { Status } from "../../../src/core/protocol/events.ts";
import type { StoreTransaction } from "../../../src/core/store/store.ts";
import { nativeSession } from "../../support/native-session.ts";
import { countingIds } from "../../support/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";

const DONE = () => Promise.resolve();

test.each<{ what: string; status: Omit<Status, "type">; isKept: boolean }>([
  { what: "of what has happened", status: { text: "⚠ The model is overloaded." }, isKept: true },
  { what: "of the same kind with another sign", status: { text: "✗ I could not read `a.pdf`." }, isKept: true },
  { what: "of a wait, whatever its sign", status: { text: "⚠ I wait for others.", passes: true }, isKept: false },
])("a status $what is journalled: $isKept", async ({ status, isKept }) => {
  const { store, clock } = await nativeSession();
  const shown: unknown[] = [];
  const view = { show: (event: unknown) => shown.push(event), finish: DONE, park: DONE, suspend: DONE };
  const context = {
    runId: "run_1",
    transaction: <T>(key: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T> =>
      store.transaction(async (tx) => {
        const value = await work(tx);
        await tx.journal.put("run_1", key, { value, at: clock.now() });
        return value;
      }),
  };
  const keeping = keepingNotices(view, context, { runtime: { ids: countingIds() }, log: silentLog });
  keeping.show({ type: "status", ...status });
  await keeping.park();
  expect(shown).toHaveLength(1);
  expect(await noticesOf(store, "run_1")).toEqual(isKept ? [status.text] : []);
});
