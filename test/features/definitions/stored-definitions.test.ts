import { expect, onTestFinished, test } from "vitest";
import type { DefinitionTexts } from "../../../src/core/agents/page-definitions.ts";
import { openStore } from "../../../src/core/store/store.ts";
import type { FeatureHost } from "../../../src/feature-host.ts";
import { createIdlePoller } from "../../../src/features/definitions/idle-poller.ts";
import { createStoredDefinitions } from "../../../src/features/definitions/stored-definitions.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { startPostgres } from "../../support/database/postgres.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

/** What the page has set, in memory and in both databases. */

const DATABASES = {
  SQLite: () => Promise.resolve({ url: `file:${tempDirectory()}/kept.db`, stop: () => Promise.resolve() }),
  PostgreSQL: async () => {
    const postgres = await startPostgres();
    return { url: await postgres.createDatabase(), stop: () => postgres.stop() };
  },
};

/** A process on a database, and the texts that it works with. */
async function processOn(url: string) {
  const runtime = systemRuntime();
  const store = await openStore(url, runtime);
  onTestFinished(() => store.close());
  const held: Record<string, DefinitionTexts> = {};
  const set = (kind: string) => ({
    all: () => [],
    check: () => ({ problems: [], notes: [] }),
    problems: () => [],
    set: (texts: DefinitionTexts) => {
      held[kind] = texts;
    },
  });
  const definitions: FeatureHost["definitions"] = {
    agents: set("agent"),
    skills: set("skill"),
    instructions: set("instructions"),
    configured: () => [],
    agentOf: () => "build",
    instructionsIn: () => Promise.reject(new Error("nobody asks")),
  };
  const kept = createStoredDefinitions({ store, runtime, definitions });
  await kept.refresh();
  return { kept, held, store };
}

test.each(Object.entries(DATABASES))(
  "%s: a saved definition applies at once in this process, and in others after a refresh",
  async (_name, open) => {
    const { url, stop } = await open();
    onTestFinished(stop);
    const here = await processOn(url);
    const there = await processOn(url);
    const review = { kind: "skill", name: "review", by: "ana" } as const;

    expect(await here.kept.change({ ...review, content: "one", after: 0 })).toEqual({ type: "saved", number: 1 });
    expect(here.held["skill"]).toEqual(new Map([["review", "one"]]));
    expect(there.kept.newest("skill", "review")).toBeNull();

    // Whoever has not seen it overwrites nothing, and is told what stands.
    const late = await there.kept.change({ ...review, content: "other", after: 0, by: "max" });
    expect(late).toMatchObject({ type: "conflict", newest: { number: 1, content: "one", by: "ana" } });
    expect(there.held["skill"]).toEqual(new Map([["review", "one"]]));

    await here.kept.change({ kind: "agent", name: "scribe", content: "writes", after: 0, by: "" });
    await there.kept.refresh();
    expect(there.held["agent"]).toEqual(new Map([["scribe", "writes"]]));

    expect(await there.kept.change({ ...review, content: null, after: 1 })).toEqual({ type: "saved", number: 2 });
    await here.kept.refresh();
    expect(here.held["skill"]).toEqual(new Map());
    expect(here.kept.newest("skill", "review")).toMatchObject({ number: 2, content: null });
    expect(here.kept.names("skill")).toEqual([]);

    const later = await processOn(url);
    expect(later.held).toEqual({ agent: new Map([["scribe", "writes"]]), skill: new Map(), instructions: new Map() });
  },
);

test("changes by other processes are polled only while no run is active for a while", async () => {
  const url = `file:${tempDirectory()}/kept.db`;
  const elsewhere = await processOn(url);
  const here = await processOn(url);
  const clock = new ManualClock();
  const poller = createIdlePoller(here.kept.refresh, { clock, log: silentLog });
  const ending = new AbortController();
  const running = poller.run(ending.signal);
  await elsewhere.kept.change({ kind: "skill", name: "review", content: "one", after: 0, by: "ana" });
  for (let times = 0; times < 5; times += 1) {
    poller.noteActivity();
    await clock.advance(9_000);
  }
  expect(here.held["skill"]).toBeUndefined();
  await clock.advance(11_000);
  await expect.poll(() => here.held["skill"]?.get("review")).toBe("one");
  ending.abort();
  await running;
});
