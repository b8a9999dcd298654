import { expect, test } from "vitest";
import type { RunView } from "../../../src/core/progress/run-view.ts";
import { ParkedViews } from "../../../src/core/run/parked-views.ts";

/** A process that parks runs, some of which another process continues. */
function scene({ isShared }: { readonly isShared: boolean }) {
  const elsewhere = new Set<string>();
  const suspended: string[] = [];
  const isOwnedIn = (sessionId: string) => Promise.resolve(!elsewhere.has(sessionId));
  const views = new ParkedViews(isShared ? { isOwnedIn } : null);
  const park = async (id: string) => {
    const view: RunView = {
      show: () => undefined,
      finish: () => Promise.resolve(),
      park: () => Promise.resolve(),
      suspend: () => {
        suspended.push(id);
        return Promise.resolve();
      },
    };
    await views.keep({ runId: id, sessionId: id }, 1, view);
  };
  return { views, elsewhere, suspended, park };
}

test("views of runs that continue in another process are closed, views of runs parked here are kept", async () => {
  const { views, elsewhere, suspended, park } = scene({ isShared: true });
  const all = Array.from({ length: 30 }, (_, index) => `run_${index}`);
  const isTaken = (id: string) => Number(id.slice("run_".length)) % 3 !== 0;
  for (const id of all) {
    await park(id);
    if (isTaken(id)) elsewhere.add(id);
  }
  const kept = () => all.filter((id) => views.has(id));
  expect(kept().filter(isTaken).length).toBeLessThan(10);
  for (const id of all.slice(0, 10)) await park(`more_${id}`);
  expect(kept()).toEqual(all.filter((id) => !isTaken(id)));
  expect(suspended.toSorted()).toEqual(all.filter(isTaken).toSorted());
});

test("in a sole process each view is kept until its run continues", async () => {
  const { views, elsewhere, suspended, park } = scene({ isShared: false });
  for (const id of ["one", "two", "three"]) {
    await park(id);
    elsewhere.add(id);
  }
  expect(suspended).toEqual([]);
  await views.end("one");
  expect(suspended).toEqual(["one"]);
  expect(["one", "two", "three"].map((id) => views.has(id))).toEqual([false, true, true]);
});
