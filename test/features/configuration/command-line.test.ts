import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { SETTINGS_REVISION } from "../../../src/config/stored/effective-settings.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { runCli } from "../../support/program/cli.ts";
import { directoryWith } from "../../support/program/config-sources.ts";

/** What the command line says of settings, the page's among them. */

const FILE = {
  budgets: { runUsd: 2 },
  providers: { mistral: { apiKey: "sk-of-mistral-0123456789" } },
  inputs: [{ id: "t-0123456789abcdef" }],
  mcpServers: { x: { command: "true", env: { TOKEN: "t-0123456789abcdef" } } },
};

async function withRevision(content: object): Promise<string> {
  const cwd = directoryWith({ file: FILE });
  const store = await openFileStore(path.join(cwd, "data.db"));
  const revision = { ...SETTINGS_REVISION, content: JSON.stringify(content), by: "ana", at: Date.now() };
  await store.transaction((tx) => tx.revisions.add("rev_1", 0, revision));
  await store.close();
  return cwd;
}

const env = { DATABASE_URL: "file:data.db", DECKHAND_MODEL: "anthropic/claude-opus-5-5" };

test("settings list shows each set value with its source, and no secret", async () => {
  const cwd = await withRevision({ budgets: { runUsd: 9, dayUsd: 50 }, gone: true });
  const { out, error, failed } = await runCli(["settings"], { cwd, env });
  expect(failed).toBe(false);
  const lines = out.split("\n").map((line) => line.split(/ {2,}/u));
  const line = (name: string) => lines.find(([first]) => first === name);
  expect(line("model")).toEqual(["model", "anthropic/claude-opus-5-5", "DECKHAND_MODEL"]);
  expect(line("budgets.runUsd")).toEqual(["budgets.runUsd", "2", "deckhand.config.json"]);
  expect(line("budgets.dayUsd")).toEqual(["budgets.dayUsd", "50", "set on the page"]);
  expect(line("maxTurns")).toEqual(["maxTurns", "50", "default"]);
  expect(line("providers")).toEqual(["providers", "(not shown)", "deckhand.config.json"]);
  expect(line("mcpServers")).toEqual(["mcpServers", "(not shown)", "deckhand.config.json"]);
  expect(line("inputs")).toEqual(["inputs", "(not shown)", "deckhand.config.json"]);
  expect(line("budgets.userUsd")).toBeUndefined();
  expect(error).toContain("⚠ Set on the page, but ignored: gone: is not a known key.");

  const all = z.array(z.looseObject({ path: z.array(z.string()) }));
  const json = all.parse(JSON.parse((await runCli(["settings", "--json"], { cwd, env })).out));
  const of = (name: string) => json.find((each) => each.path.join(".") === name);
  expect(of("budgets.dayUsd")).toMatchObject({ value: 50, from: "page", holdsAtOnce: true, locked: null });
  expect(of("budgets.runUsd")).toMatchObject({ value: 2, from: "above", by: "deckhand.config.json" });
  expect(JSON.stringify(json)).not.toContain("0123456789");
});

test("the page's settings may name an agent that was created on the page", async () => {
  const cwd = await withRevision({ agentDefinition: "keeper" });
  const store = await openFileStore(path.join(cwd, "data.db"));
  const content = "---\ndescription: Keeps\n---\nYou keep.";
  const agent = { kind: "agent" as const, name: "keeper", content, by: "ana", at: Date.now() };
  await store.transaction((tx) => tx.revisions.add("rev_2", 0, agent));
  await store.close();
  const { out, error } = await runCli(["settings"], { cwd, env });
  expect(out).toMatch(/^agentDefinition +keeper +set on the page$/mu);
  expect(error).toBe("");
  const doctor = await runCli(["doctor"], { cwd, env: { ...env, PORT: "0", ANTHROPIC_API_KEY: "k" } });
  expect(doctor.out).not.toContain("keeper");
});

test("listing settings creates no database", async () => {
  const cwd = directoryWith({ file: FILE });
  const { out } = await runCli(["settings"], { cwd, env });
  expect(out).toMatch(/^budgets\.runUsd +2 +deckhand\.config\.json$/mu);
  expect(existsSync(path.join(cwd, "data.db"))).toBe(false);
});

test("doctor applies the page's settings, and lists those that are no longer valid", async () => {
  const cwd = await withRevision({
    fallbackModel: "anthropic/claude-haiku-5-5",
    mode: "agi",
    budgets: { dayUsd: "much" },
  });
  const { out } = await runCli(["doctor"], { cwd, env: { ...env, PORT: "0", ANTHROPIC_API_KEY: "k" } });
  expect(out).toContain("⚠ Set on the page, but ignored: budgets.dayUsd: must be a number");
  expect(out).toContain("anthropic/claude-haiku-5-5");
  expect(out).toContain("mode: in mode agi, nobody is asked");
});
