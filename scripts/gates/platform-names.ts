import { type PropertyKey as Key, parseSync, Visitor } from "oxc-parser";
import type { SourceFile } from "./source-files.ts";

export const PLATFORMS = ["slack", "discord", "web", "terminal"] as const;

const SERVES_ALL = /^src\/(core|jobs|tools)\//;
/** Files that recognise secrets by shape: any text may contain one, even of a platform that is not served. */
const NAMES_SECRETS = /^src\/core\/text\/(?:log-redaction|token-shapes)\.ts$/;

const ANYWHERE = new RegExp(PLATFORMS.join("|"));
/** A platform's name as a key, as a whole string, or as the prefix of a person's or channel's key: `slack:`. */
const AS_NAME = new RegExp(`^(${PLATFORMS.join("|")})(:|$)`);
/** Names that count within a regular expression, where the other platforms are ordinary words. */
const IN_PATTERN = /slack|discord/;

/** A line for each file that serves all platforms but names one in its code. Comments may name platforms. */
export function platformNames(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path: file, text }) => SERVES_ALL.test(file) && !NAMES_SECRETS.test(file) && ANYWHERE.test(text))
    .flatMap(({ path: file, text }) => {
      const at = firstName(file, text);
      if (at === null) return [];
      const line = text.slice(0, at).split("\n").length;
      return [`${file}:${line}: names a platform; ask its descriptor (src/platforms.ts).`];
    });
}

/** Offset of the first name; null if there is none. */
function firstName(file: string, text: string): number | null {
  const found: number[] = [];
  const key = ({ key, computed }: { readonly key: Key; readonly computed: boolean }) => {
    if (!computed && key.type === "Identifier" && AS_NAME.test(key.name)) found.push(key.start);
  };
  new Visitor({
    Literal(node) {
      const isName = "regex" in node ? IN_PATTERN.test(node.regex.pattern) : AS_NAME.test(String(node.value));
      if (isName) found.push(node.start);
    },
    TemplateElement: ({ value, start }) => {
      if (AS_NAME.test(value.raw)) found.push(start);
    },
    Property: key,
    PropertyDefinition: key,
    TSPropertySignature: key,
    MemberExpression({ property, computed }) {
      if (!computed && property.type === "Identifier" && AS_NAME.test(property.name)) found.push(property.start);
    },
  }).visit(parseSync(file, text).program);
  return found.length === 0 ? null : Math.min(...found);
}
