import { posixRegex } from "../text/posix-regex.ts";

/** How just-bash makes a pattern, and how it takes one of JavaScript's. */
interface Engine {
  readonly make: (pattern: string, flags: string) => object;
  readonly wrap: (regex: RegExp) => object;
}

/** A pattern of awk: as POSIX has it, its dots stand for line ends too. The engine knows no ends of words, nor empty patterns. */
export function awkRegex({ make, wrap }: Engine, pattern: string, flags = ""): object {
  const isAboutWords = /^(?:[^\\]|\\[^<>y])*\\[<>y]/.test(pattern);
  if (!isAboutWords && pattern !== "") return make(pattern, `${flags}ls`);
  const known = pattern.replace(/\\[^]/g, (escape) => (escape === "\\y" ? "\\b" : escape));
  return wrap(posixRegex(known, "extended", flags));
}
