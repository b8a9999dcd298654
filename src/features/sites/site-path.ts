import { isPass } from "./pass-issuer.ts";
import { isSiteName } from "./site.ts";

/** A request's parsed address. */
export interface Asked {
  readonly name: string;
  /** As in the address; null if there is none. */
  readonly pass: string | null;
  /** Names of directories and, unless `isDirectory`, of a file. None is empty, hidden, or a path to elsewhere. */
  readonly segments: readonly string[];
  readonly isDirectory: boolean;
  /** Including its question mark. */
  readonly query: string;
}

/** Maximum length of an address, in characters. */
const MAX_CHARS = 4_096;

/** Parses the address of a request, decoding each part once; null if it is not a site's address. */
export function readAddress(url: string): Asked | null {
  if (url.length > MAX_CHARS) return null;
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

/** Null if the part cannot be the name of a published file. */
function decoded(part: string): string | null {
  try {
    const name = decodeURIComponent(part);
    return name === "" || name.startsWith(".") || /[/\\\0]/u.test(name) ? null : name;
  } catch {
    return null;
  }
}

/** The inverse of readAddress: `/sites/<name>/<pass>/…`. */
export function addressOf({ name, pass, segments, isDirectory, query }: Asked): string {
  const parts = [...(pass === null ? [] : [pass]), ...segments.map(encodeURIComponent)];
  return `/sites/${name}/${parts.join("/")}${parts.length > 0 && isDirectory ? "/" : ""}${query}`;
}
