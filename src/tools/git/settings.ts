import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { BoundedMap } from "../../core/bounded-map.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";
import { entryOf, type Repository } from "./repository.ts";
import type { RunGit } from "./run-git.ts";

/** What is adopted from a repository's configuration. */
export const gitSettingsSchema = z.object({
  objectFormat: z.enum(["sha1", "sha256"]),
  /** Names and values that change only what is shown: none can run a program or name a file. */
  harmless: z.array(z.tuple([z.string(), z.string()])),
});
export type GitSettings = z.infer<typeof gitSettingsSchema>;

/** Names that are adopted, with their allowed values. Subsections are between the first and the last dot. */
const HARMLESS: readonly { readonly name: RegExp; readonly value: RegExp }[] = [
  { name: /^core\.(filemode|ignorecase|precomposeunicode)$/, value: /^(true|false)?$/ },
  { name: /^core\.autocrlf$/, value: /^(true|false|input)$/ },
  { name: /^core\.eol$/, value: /^(lf|crlf|native)$/ },
  { name: /^branch\.[^\n]+\.(remote|merge)$/, value: /^[\w./-]+$/ },
  { name: /^remote\.[^\n]+\.fetch$/, value: /^\+?refs\/[\w./*-]+:refs\/[\w./*-]+$/ },
];

const MAX_SETTINGS = 1_000;
/** Maximum bytes of a configuration file. */
const MAX_CONFIGURATION = 1_000_000;

/** Parsed settings by the hash of their text: repositories are read often, and their configuration seldom changes. */
const known = new BoundedMap<string, GitSettings>(100);
/** Maximum characters of a text whose settings are cached. */
const MAX_KEPT = 10_000;

/** Reads the configuration as a list of names and values. Nothing in it takes effect, and includes are not followed. */
export async function readSettings({ commonDir }: Repository, git: RunGit): Promise<GitSettings> {
  const file = path.join(commonDir, "config");
  const entry = entryOf(file);
  if (entry === null) return { objectFormat: "sha1", harmless: [] };
  if (!entry.isFile())
    throw new Refusal("The repository's configuration is not a plain file, so git cannot be used on it.");
  if (entry.size > MAX_CONFIGURATION) throw new Refusal("The repository's configuration is too large to be read.");
  const text = await readFile(file, "utf8");
  const key = hash("sha256", text);
  const settings = known.get(key) ?? settingsOf(await listingOf(text, git));
  if (text.length <= MAX_KEPT) known.set(key, settings);
  return settings;
}

async function listingOf(text: string, git: RunGit): Promise<string> {
  const args = ["config", "--file", "-", "--null", "--no-includes", "--list"];
  const { code, stdout, stderr, stopped } = await git({ args, input: Buffer.from(text) });
  if (stopped !== null) throw new Refusal("The repository's configuration is too large to be read.");
  if (code !== 0) {
    const reason = stderr.trim().replaceAll("standard input", ".git/config");
    throw new Refusal(`The repository's configuration cannot be read: ${reason}`);
  }
  return stdout;
}

/** Parses entries of the form `name LF value NUL`; a name without a value has no LF and means true. */
function settingsOf(listing: string): GitSettings {
  const entries = listing.split("\0").flatMap((entry): [string, string][] => {
    const end = entry.indexOf("\n");
    if (end < 0) return entry === "" ? [] : [[entry, "true"]];
    return [[entry.slice(0, end), entry.slice(end + 1)]];
  });
  const last = (name: string): string | undefined => entries.findLast(([other]) => other === name)?.[1]?.toLowerCase();
  const refStorage = last("extensions.refstorage") ?? "files";
  if (refStorage !== "files")
    throw new Refusal(`The repository stores its refs as ${refStorage}, which the git tool cannot read.`);
  const objectFormat = last("extensions.objectformat") ?? "sha1";
  if (objectFormat !== "sha1" && objectFormat !== "sha256")
    throw new Refusal(`The object format ${objectFormat} is not supported.`);
  const harmless = entries.filter(([name, value]) =>
    HARMLESS.some((rule) => rule.name.test(name) && rule.value.test(value)),
  );
  return { objectFormat, harmless: harmless.slice(0, MAX_SETTINGS) };
}
