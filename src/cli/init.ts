import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NO_ROOM } from "../core/protocol/errors.ts";
import { systemCode } from "../core/protocol/system-code.ts";
import type { Terminal } from "./terminal.ts";

/** Writes .env and deckhand.config.json into `cwd` to begin with, from what `root`, Deckhand itself, has of them; a file that exists stays as it is. */
export function init(root: string, cwd: string, terminal: Terminal): void {
  const schema = path.relative(cwd, path.join(root, "deckhand.config.schema.json"));
  const files = [
    { name: "deckhand.config.json", content: settings(schema), mode: 0o644 },
    { name: ".env", content: readFileSync(path.join(root, ".env.example"), "utf8"), mode: 0o600 },
  ];
  for (const { name, content, mode } of files) {
    const outcome = writeNew(path.join(cwd, name), content, mode);
    if (outcome === "written") terminal.out(`✓ ${name} written`);
    else if (outcome === "EEXIST") terminal.out(`✓ ${name} exists and stays as it is`);
    else {
      const mend = NO_ROOM.has(outcome) ? "Its disk is full: make room." : "Give this user the right to.";
      terminal.error(`✗ ${path.join(cwd, name)} cannot be written (${outcome}). ${mend}`);
      terminal.fail();
      return;
    }
  }
  terminal.out("Next: put tokens and a provider's key into .env, then `npx deckhand doctor`, then `npm start`.");
}

/** The system's error code when the file could not be created: then nothing of it is there that looks like somebody's own. */
function writeNew(file: string, content: string, mode: number): string {
  let made: number | null = null;
  try {
    made = openSync(file, "wx", mode);
    writeFileSync(made, content);
    return "written";
  } catch (error) {
    if (made !== null) rmSync(file);
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  } finally {
    if (made !== null) closeSync(made);
  }
}

/** Settings that many want, as comments: what stands in the file cannot be changed on the page. */
function settings(schema: string): string {
  const content = {
    $schema: schema.startsWith(".") ? schema : `./${schema}`,
    "//": "Keys that begin with // are comments: take the slashes away to set them. All keys: docs/configuration.md.",
    "//model": "anthropic/claude-sonnet-5-5",
    "//fallbackModel": "openai/gpt-6-sol",
    "//mode": "write",
    "//maxBudgetUsd": 0.5,
    "//access": { admins: ["slack:U0123ABCD"] },
    "//allowedHosts": ["api.github.com"],
    "//channels": { "slack:C0123ABCD": { directory: "/srv/checkout", requireMention: true } },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
