import { grepPattern } from "../text/posix-regex.ts";

const CLASS = /\[([!^]?)(\]?(?:\[:[a-z]+:\]|\\[^]|[^\]\\])*)\]/y;
const CLASSES: Readonly<Record<string, string>> = {
  alpha: "\\p{L}",
  digit: "0-9",
  alnum: "\\p{L}0-9",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: "\\s",
  punct: "!-\\/:-@\\[-`{-~",
};

/** Converts a shell pattern to a RegExp for whole texts; slashes and dots are not special. */
export function globRegex(pattern: string, ignoresCase: boolean): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; ) {
    CLASS.lastIndex = at;
    const [found, not = "", members = ""] = CLASS.exec(pattern) ?? [];
    const one = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    if (found !== undefined) source += `[${not === "" ? "" : "^"}${membersOf(members)}]`;
    else if (one === "*") source += "[^]*";
    else if (one === "?") source += "[^]";
    else if (one === "\\" && at + 1 < pattern.length) source += literal(pattern.charAt(at + 1));
    else source += literal(one);
    at += found?.length ?? (one === "\\" ? 2 : one.length);
  }
  return new RegExp(`^(?:${source})$`, ignoresCase ? "iu" : "u");
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function membersOf(members: string): string {
  return members.replace(/\[:([a-z]+):\]|\\([^])|[\]\\^[]/g, (found, name?: string, escaped?: string) => {
    if (name !== undefined) return CLASSES[name] ?? "";
    return `\\${escaped ?? found}`.replace(/^\\(?=[^\\\]^[-])/, "");
  });
}

const BASIC = new Set(["posix-basic", "grep", "sed", "ed"]);
const EXTENDED = new Set([
  "posix-extended",
  "egrep",
  "posix-egrep",
  "awk",
  "gnu-awk",
  "posix-awk",
  "posix-minimal-basic",
]);

/** Compiles a pattern of `-regex`, which must match whole paths. */
export function pathRegex(pattern: string, kind: string, ignoreCase: boolean): RegExp {
  const isEmacs = kind === "emacs" || kind === "findutils-default";
  if (!isEmacs && !BASIC.has(kind) && !EXTENDED.has(kind)) throw new Error(`unknown regular expression type '${kind}'`);
  const mode = BASIC.has(kind) ? "basic" : "extended";
  const found = grepPattern(isEmacs ? fromEmacs(pattern) : pattern, { mode, ignoreCase, lineRegexp: true });
  if (found === null) throw new Error(`invalid regular expression: ${pattern}`);
  return found.regex;
}

/** Emacs writes groups and alternatives as basic patterns do, and repeats as extended ones; it knows no intervals. */
function fromEmacs(pattern: string): string {
  let isWithin = false;
  return pattern.replace(/\\[^]|[^]/g, (one) => {
    if (isWithin) isWithin = one !== "]";
    else if (one === "[") isWithin = true;
    else if (/^\\[()|]$/.test(one)) return one.slice(1);
    else if (/^[(){}|]$/.test(one)) return `\\${one}`;
    return one;
  });
}
