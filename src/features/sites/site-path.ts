import { isPass } from "./passes.ts";
import { isSiteName } from "./site.ts";

/** What a request asks for. */
export interface Asked {
  readonly name: string;
  /** As the address has it; null without. */
  readonly pass: string | null;
  /** Names of directories and, unless `isDirectory`, of a file. None is empty, hidden, or leads anywhere else. */
  readonly segments: readonly string[];
  readonly isDirectory: boolean;
  /** With its question mark. */
  readonly query: string;
}

/** Characters of an address. */
const MOST_CHARS = 4_096;

/** Reads the address of a request, each part decoded once; null for everything that is no site's. */
export function readAddress(url: string): Asked | null {
  if (url.length > MOST_CHARS) return null;
  const mark = url.indexOf("?");
  const address = mark === -1 ? url : url.slice(0, mark);
  const [root, sites, name = "", ...rest] = address.split("/");
  if (root !== "" || sites !== "sites" || !isSiteName(name)) return null;
  const [first = ""] = rest;
  const pass = isPass(first) ? first : null;
  const parts = pass === null ? rest : rest.slice(1);
  const isDirectory = parts.at(-1) === "" && parts.length > 0;
  const segments = (isDirectory ? parts.slice(0, -1) : parts).map(decoded);
  if (!segments.every((segment) => segment !== null)) return null;
  return { name, pass, segments, isDirectory, query: mark === -1 ? "" : url.slice(mark) };
}

/** Null for a part that is no name of a published file. */
function decoded(part: string): string | null {
  try {
    const name = decodeURIComponent(part);
    return name === "" || name.startsWith(".") || /[/\\\0]/u.test(name) ? null : name;
  } catch {
    return null;
  }
}

/** The way back: `/sites/<name>/<pass>/…`. */
export function addressOf({ name, pass, segments, isDirectory, query }: Asked): string {
  const parts = [...(pass === null ? [] : [pass]), ...segments.map(encodeURIComponent)];
  return `/sites/${name}/${parts.join("/")}${parts.length > 0 && isDirectory ? "/" : ""}${query}`;
}
