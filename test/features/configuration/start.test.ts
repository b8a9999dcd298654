import { expect, onTestFinished, test } from "vitest";
import { startApp } from "../../../src/app.ts";
import { SETTINGS_REVISION } from "../../../src/config/stored/effective-settings.ts";
import { loadConfig } from "../../../src/config.ts";
import { openStore } from "../../../src/core/store/store.ts";
import { FEATURES } from "../../../src/features/features.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { startPostgres } from "../../support/database/postgres.ts";
import { directoryWith } from "../../support/program/config-sources.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

/** Settings from the page are in force once the program starts, even if some of them are no longer valid. */

const DATABASES = {
  SQLite: () => Promise.resolve(`file:${tempDirectory()}/deckhand.db`),
  PostgreSQL: async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    return postgres.createDatabase();
  },
};

async function revise(url: string, content: string): Promise<void> {
  const store = await openStore(url, systemRuntime());
  const revision = { ...SETTINGS_REVISION, content, by: "ana", at: Date.now() };
  await store.transaction((tx) => tx.revisions.add("rev_1", 0, revision));
  await store.close();
}

async function start(url: string, file: object): Promise<readonly string[]> {
  const said: string[] = [];
  const env = { PORT: "0", DATABASE_URL: url, ANTHROPIC_API_KEY: "k" };
  const app = await startApp({
    config: loadConfig({ env, cwd: directoryWith({ file }) }, FEATURES),
    runtime: systemRuntime(),
    log: silentLog,
    secrets: [],
    say: (line) => said.push(line),
    signal: new AbortController().signal,
  });
  await app.stop();
  return said;
}

test.each(Object.entries(DATABASES))(
  "%s: settings saved on the page apply at the next start, and invalid ones are listed",
  async (_name, open) => {
    const url = await open();
    await revise(url, JSON.stringify({ model: "anthropic/claude-haiku-5-5", gone: 1, agentDefinition: "nobody" }));
    const said = await start(url, {});
    expect(said).toContain("✓ Model: anthropic/claude-haiku-5-5");
    const warnings = said.filter((line) => line.includes("but ignored"));
    expect(warnings).toEqual([
      expect.stringMatching(/^⚠ Set on the page, but ignored: gone: is not a known key\./u),
      expect.stringMatching(/^⚠ Set on the page, but ignored: agentDefinition: .*there is no agent "nobody"/u),
    ]);
    expect(await start(url, { model: "anthropic/claude-opus-5-5" })).toContain("✓ Model: anthropic/claude-opus-5-5");
  },
);

test("an unreadable revision does not prevent the start", async () => {
  const url = await DATABASES.SQLite();
  await revise(url, "{");
  const said = await start(url, {});
  expect(said).toContain("⚠ Set on the page, but ignored: The stored settings cannot be read.");
  expect(said.join("\n")).toContain("✓ Deckhand is running.");
});
