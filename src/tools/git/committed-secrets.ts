import { Buffer } from "node:buffer";
import { secretMasking } from "../../core/text/secret-masking.ts";
import { maskOf, tokensIn } from "../secrets/file-secrets.ts";
import { secretKind } from "../secrets/secret-files.ts";

/** Start of one file's changes or of the next commit. */
const SECTION = /^(?=diff --(?:git|cc|combined) |commit [0-9a-f]{7,64}\b)/mu;
const TWO_SIDES = "diff --git ";
const MERGED = /^diff --(?:cc|combined) /u;
const HUNK = /^@@/mu;

/**
 * Removes secrets from git's output: the lines of a file that looks secret by its name or content, and tokens and keys
 * anywhere. `file` is the file whose content is printed, or empty if the output is not one file's.
 */
export function withoutCommittedSecrets(printed: string, file: string): string {
  const kind = secretKind(file, Buffer.from(withoutBlame(printed)));
  const isDiff = file === "" && SECTION.test(printed);
  if (!isDiff && kind !== null) return hidden(file === "" ? "This" : file, kind);
  const shown = isDiff ? printed.split(SECTION).map(withoutSecretLines).join("") : printed;
  return secretMasking(tokensIn(shown), { shortest: { value: 16, encoded: 16 }, shown: (value) => maskOf(value) }).hide(
    shown,
  );
}

function withoutSecretLines(section: string): string {
  const [first = ""] = section.split("\n", 1);
  const at = section.search(HUNK);
  if (at === -1) return section;
  const lines = Buffer.from(contentOf(section.slice(at), MERGED.test(first) ? 2 : 1));
  for (const name of namesIn(first)) {
    const kind = secretKind(name, lines);
    if (kind !== null) return `${section.slice(0, at)}[${hidden(name, kind)}]\n`;
  }
  return section;
}

/**
 * Parses `diff --git a/old b/new`, each path in quotes if git quotes it. Only the last `b/` tells where the second path
 * begins.
 */
function namesIn(first: string): string[] {
  const plain = first.replaceAll('"', "");
  if (MERGED.test(plain)) return [plain.replace(MERGED, "")];
  if (!plain.startsWith(TWO_SIDES)) return [];
  const names = plain.slice(TWO_SIDES.length);
  const at = names.lastIndexOf(" b/");
  return at === -1 ? [names] : [names.slice(at + " b/".length), names.slice("a/".length, at)];
}

function hidden(name: string, kind: string): string {
  return `${name} looks like ${kind}, so git does not show its content. To see the file as it is now, use \`read\`, which asks a person.`;
}

/** Lines of a diff as they are in the file, without the leading signs. */
function contentOf(lines: string, signs: 1 | 2): string {
  return lines.replaceAll(/^@@.*$/gmu, "").replaceAll(signs === 1 ? /^[ +-]/gmu : /^[ +-]{2}/gmu, "");
}

/** Strips the prefix of blame lines: `1a2b3c4d (Ana 2026-01-01 1) line`. */
function withoutBlame(lines: string): string {
  return lines.replaceAll(/^\^?[0-9a-f]{6,64} [^)\n]{0,400}\) /gmu, "");
}
