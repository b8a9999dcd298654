import { dotted } from "./problems.ts";

/** A key that stands twice in one object; of its values, `JSON.parse` keeps the last. */
interface RepeatedKey {
  /** `access.allow`, `channels.slack:C1`, `allowedHosts[0].host` */
  readonly path: string;
  /** Where it stands again, from 1. */
  readonly line: number;
}

/** An object or list that is open; `keys` are those of an object, null in a list. */
interface Open {
  readonly keys: Set<string> | null;
  /** Where the value that is read stands in it: its key or its place. */
  at: string | number;
}

/** A token: a text, a mark of structure, or a number or word. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu;

/** Reads the text of a document that `JSON.parse` has accepted; comments, keys that begin with `//`, may come often. */
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

/** Whether it stands in a comment or is one. */
function isComment(open: readonly Open[]): boolean {
  return open.some(({ at }) => String(at).startsWith("//"));
}
