import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DISK_FULL_CODES } from "../core/protocol/errors.ts";
import { systemCode } from "../core/protocol/system-code.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Writes initial .env and deckhand.config.json files into `cwd`; `root` is Deckhand itself. Existing files are kept.
 */
export function init(root: string, cwd: string, terminal: Terminal): void {
  const schema = path.relative(cwd, path.join(root, "deckhand.config.schema.json"));
  const files = [
    { name: "deckhand.config.json", content: settings(schema), mode: 0o644 },
    { name: ".env", content: readFileSync(path.join(root, ".env.example"), "utf8"), mode: 0o600 },
  ];
  for (const { name, content, mode } of files) {
    const outcome = writeNew(path.join(cwd, name), content, mode);
    if (outcome === "written") terminal.out(`✓ ${name} written`);
    else if (outcome === "EEXIST") terminal.out(`✓ ${name} already exists and was not changed`);
    else {
      const remedy = DISK_FULL_CODES.has(outcome)
        ? "Its disk is full. Free up space."
        : "Give this user write permission.";
      terminal.error(`✗ ${path.join(cwd, name)} cannot be written (${outcome}). ${remedy}`);
      terminal.fail();
      return;
    }
  }
  terminal.out("Next: put tokens and a provider's key into .env, then run `npx deckhand doctor`, then `npm start`.");
}

/** Creates a file. On failure returns the error code and removes the partial file, which would look like the user's. */
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

/** Common settings as comments, because settings in the file cannot be changed on the page. */
function settings(schema: string): string {
  const content = {
    $schema: schema.startsWith(".") ? schema : `./${schema}`,
    "//": "Keys that begin with // are comments: remove the slashes to set them. All keys: docs/configuration.md.",
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
