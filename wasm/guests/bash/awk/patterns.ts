import { posixRegex } from "../text/posix-regex.ts";

/** How just-bash compiles a pattern, and how it wraps a RegExp of JavaScript. */
interface Engine {
  readonly make: (pattern: string, flags: string) => object;
  readonly wrap: (regex: RegExp) => object;
}

/** Compiles a pattern whose dots match line ends, too. Just-bash's engine lacks word boundaries and empty patterns. */
export function awkRegex({ make, wrap }: Engine, pattern: string, flags = ""): object {
  const isAboutWords = /^(?:[^\\]|\\[^<>y])*\\[<>y]/.test(pattern);
  if (!isAboutWords && pattern !== "") return make(pattern, `${flags}ls`);
  const known = pattern.replace(/\\[^]/g, (escape) => (escape === "\\y" ? "\\b" : escape));
  return wrap(posixRegex(known, "extended", flags));
}
