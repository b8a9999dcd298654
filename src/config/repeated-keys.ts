import { dotted } from "./problems.ts";

/** A key that occurs twice in one object; `JSON.parse` keeps only the last value. */
interface RepeatedKey {
  /** `access.allow`, `channels.slack:C1`, `allowedHosts[0].host` */
  readonly path: string;
  /** Line of the repetition, from 1. */
  readonly line: number;
}

/** An open object or list. `keys` are an object's keys; null for a list. */
interface Open {
  readonly keys: Set<string> | null;
  /** Key or index of the value being read. */
  at: string | number;
}

/** A token: a string, a punctuation mark, or a number or word. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu;

/** Finds repeated keys in text that `JSON.parse` accepts. Comments (keys that begin with `//`) may be repeated. */
export function repeatedKeys(text: string): RepeatedKey[] {
  const found: RepeatedKey[] = [];
  const open: Open[] = [];
  let isKeyNext = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const inside = open.at(-1);
    if (token === "{" || token === "[") {
      open.push(token === "{" ? { keys: new Set(), at: "" } : { keys: null, at: 0 });
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token === "," && typeof inside?.at === "number") {
      inside.at += 1;
    } else if (isKeyNext && inside !== undefined) {
      inside.at = String(JSON.parse(token));
      if (inside.keys?.has(inside.at) === true && !isComment(open)) {
        found.push({ path: dotted(open.map(({ at }) => at)), line: text.slice(0, index).split("\n").length });
      }
      inside.keys?.add(inside.at);
    }
    isKeyNext = token === "{" || (token === "," && inside?.keys != null);
  }
  return found;
}

/** Whether the innermost key is a comment, or within one. */
function isComment(open: readonly Open[]): boolean {
  return open.some(({ at }) => String(at).startsWith("//"));
}
