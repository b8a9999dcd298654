import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config.ts";
import type { ClusterMember } from "../../src/core/cluster.ts";
import { FEATURES } from "../../src/features/features.ts";
import { commonSettings, compareSettings } from "../../src/ownership/common-settings.ts";
import { watchSettings } from "../../src/ownership/watch-settings.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { silentLog } from "../support/silent-log.ts";
import { tempDirectory } from "../support/temp-directory.ts";

function settingsOf(file: object, env: Readonly<Record<string, string>> = {}) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, "deckhand.config.json"), JSON.stringify(file));
  return commonSettings(loadConfig({ env, cwd }, FEATURES));
}

function member(id: string, file: object, env?: Readonly<Record<string, string>>): ClusterMember {
  const state = { running: 0, waiting: 0, platforms: {}, roles: [], draining: false };
  return { id, host: "there", pid: 7, version: "1", startedAt: 0, ...state, ...settingsOf(file, env) };
}

test("what asks first and who decides is named with both values, and of a key only that it is another one", () => {
  const own = settingsOf(
    { mode: "read", approvals: { approvers: ["slack:U1"] }, channels: { "slack:C1": { mode: "write" } } },
    { ANTHROPIC_API_KEY: "one-key", PORT: "1" },
  );
  const other = member(
    "other",
    {
      approvals: { approvers: ["slack:U1", "slack:U2"] },
      channels: { "slack:C1": { mode: "read" } },
      mcpServers: { github: { command: "npx", env: { TOKEN: "a-secret" } } },
    },
    { ANTHROPIC_API_KEY: "other-key", PORT: "2" },
  );
  const { problems, warnings } = compareSettings(own, [other]);
  expect(problems).toEqual([]);
  expect(warnings).toEqual([
    'Settings differ from those of the process 7 on there: ANTHROPIC_API_KEY, approvals.approvers (["slack:U1"] here, ["slack:U1","slack:U2"] there), channels.slack:C1.mode ("write" here, "read" there), mcpServers.github (not set here, set there), mode ("read" here, not set there). Use the same settings everywhere: until then, each thread follows the settings of the process that runs it.',
  ]);
  expect(JSON.stringify([own, other])).not.toMatch(/one-key|other-key|a-secret/u);
});

test("another secret key is a problem, and a release that does not tell its settings is none", () => {
  const key = (byte: number) => ({ DECKHAND_SECRET_KEY: Buffer.alloc(32, byte).toString("base64") });
  expect(compareSettings(settingsOf({}, key(1)), [member("other", {}, key(2))])).toMatchObject({
    problems: ["DECKHAND_SECRET_KEY must be the same as in the process 7 on there, which runs on the same database."],
    warnings: [],
  });
  const older = { ...member("older", {}), given: null };
  expect(compareSettings(settingsOf({ mode: "read" }), [older])).toMatchObject({ problems: [], warnings: [] });
});

test("a difference is said at once to the process that was there before, each hour while it lasts, and when it is over", async () => {
  const clock = new ManualClock();
  const own = settingsOf({ mode: "write" });
  const here = { ...member("here", {}), ...own };
  let members = [here];
  const said: string[] = [];
  const ending = new AbortController();
  const found = watchSettings({
    cluster: { id: "here", members: () => Promise.resolve(members) },
    own,
    others: [],
    clock,
    log: silentLog,
    say: (line) => said.push(line),
    signal: ending.signal,
  });
  await clock.advance(60_000);
  expect(said).toEqual([]);

  const another = (id: string) => member(id, { mode: "read" });
  const differs = expect.stringContaining('mode ("write" here, "read" there)');
  members = [here, another("one")];
  await clock.advance(60_000);
  // Another process with the same difference is nothing new.
  members = [here, another("two")];
  await clock.advance(60_000);
  expect(said).toEqual([differs]);
  expect([found.names(), found.lines()]).toEqual([["mode"], [differs]]);
  await clock.advance(3_600_000);
  expect(said).toEqual([differs, differs]);

  members = [here];
  await clock.advance(60_000);
  expect(said).toEqual([differs, differs, "✓ All processes have the same settings again."]);
  expect([found.names(), found.lines()]).toEqual([[], []]);
  ending.abort();
});
