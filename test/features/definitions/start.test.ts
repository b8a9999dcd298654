import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startApp } from "../../../src/app.ts";
import { SETTINGS_REVISION } from "../../../src/config/stored/effective-settings.ts";
import { loadConfig } from "../../../src/config.ts";
import { FEATURES } from "../../../src/features/features.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { runCli } from "../../support/program/cli.ts";
import { directoryWith } from "../../support/program/config-sources.ts";
import { silentLog } from "../../support/silent-log.ts";

/** Agents and skills of the page, where settings, the file of jobs and a start name them. */

const AGENT = "---\ndescription: Writes minutes.\n---\nYou write minutes.";
const SKILL = "---\ndescription: Looks for herons.\n---\nCount them.";
const ENV = { DATABASE_URL: "file:data.db", DECKHAND_HOME: "home", PORT: "0", ANTHROPIC_API_KEY: "k" };
const JOB = { cron: "@daily", prompt: "x", channel: "slack:T1/C1", owner: "slack:U1" };

/** A directory with a settings file and a database in which the page has set something. */
async function directoryOf(file: object, page: Readonly<Record<string, string>>): Promise<string> {
  const cwd = directoryWith({ file });
  const store = await openFileStore(path.join(cwd, "data.db"));
  for (const [kindAndName, content] of Object.entries(page)) {
    const [kind, name = ""] = kindAndName.split("/");
    const revision = { ...SETTINGS_REVISION, name, content, by: "ana", at: Date.now() };
    const of = kind === "agent" || kind === "skill" ? kind : "settings";
    await store.transaction((tx) => tx.revisions.add(`rev_${kindAndName}`, 0, { ...revision, kind: of }));
  }
  await store.close();
  return cwd;
}

async function start(cwd: string): Promise<readonly string[]> {
  const said: string[] = [];
  const app = await startApp({
    config: loadConfig({ env: ENV, cwd }, FEATURES),
    runtime: systemRuntime(),
    log: silentLog,
    secrets: [],
    say: (line) => said.push(line),
    signal: new AbortController().signal,
  });
  await app.stop();
  return said;
}

test("an agent from the page may be named by the settings file, the page's settings and a job", async () => {
  const page = { "agent/scribe": AGENT, "skill/herons": SKILL };
  const settings = JSON.stringify({ channels: { "slack:C2": { agentDefinition: "scribe" } } });
  const cwd = await directoryOf({ agentDefinition: "scribe" }, { ...page, settings });
  mkdirSync(path.join(cwd, "home"));
  const job = { ...JOB, name: "minutes", agent: "scribe", skill: "herons" };
  writeFileSync(path.join(cwd, "home/jobs.json"), JSON.stringify([job]));
  const { out } = await runCli(["doctor"], { cwd, env: ENV });
  expect(out).not.toMatch(/scribe|herons|but ignored/u);
  expect(out).toContain("1 job");
  expect((await start(cwd)).filter((line) => /scribe|herons|but ignored/u.test(line))).toEqual([]);
});

test("an unknown agent name prevents the start, and doctor reports it", async () => {
  const cwd = await directoryOf({ agentDefinition: "scribe" }, { "agent/other": AGENT });
  const line = expect.stringMatching(
    /there is no agent "scribe"\. Known agents: .*, other\. Add it .* or create it on the page/u,
  );
  await expect(start(cwd)).rejects.toMatchObject({ problems: [line] });
  expect((await runCli(["doctor"], { cwd, env: ENV })).out.split("\n")).toContainEqual(line);
});
