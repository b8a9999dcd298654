import { parseHostPattern, sourceParts } from "./host-patterns.ts";

/** Whole and bare addresses in a text, without what surrounds them. */
const WHOLE = /https?:\/\/[^\s<>"'`\\]+/giu;
const BARE = /(?<![\w@/.:-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d{1,5})?(?:\/[^\s<>"'`\\]*)?/giu;
/** Characters before which an address may end: of Markdown, a sentence, or a Slack link. */
const ENDS = /[)\]|}*_.,;:!?]/gu;
/** Maximum number of such ends tried per match. */
const MAX_ENDS = 40;

/** Addresses in a text, normalised for comparison. */
export function addressesIn(text: string): string[] {
  const whole = (text.match(WHOLE) ?? []).flatMap(readings);
  const bare = (text.match(BARE) ?? []).flatMap((each) => [`http://${each}`, `https://${each}`]).flatMap(readings);
  return [...whole, ...bare].flatMap((each) => spelledAddress(each) ?? []);
}

function readings(text: string): string[] {
  const ends = [...text.matchAll(ENDS)].slice(0, MAX_ENDS).map(({ index }) => text.slice(0, index));
  return [text, ...ends];
}

/** Normalises a web address; null if the text is none. */
export function spelledAddress(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.hostname === "") return null;
  url.hash = "";
  url.hostname = url.hostname.replace(/(?<!\.)\.+$/u, "");
  return url.href;
}

/**
 * The part of an address that its author could have made up, and could thus use to tell its host something. Null if
 * there is none: the address is known, is a directory on the way to a known one, or is the front page of a host, or the
 * whole of a source, known by name. `known`: addresses as `addressesIn` returns them; `sources`: host patterns,
 * optionally with a path.
 */
export function freePartOf(address: string, { known, sources }: KnownAddresses): string | null {
  const spelledOut = spelledAddress(address);
  if (spelledOut === null) return address;
  if (known.some((each) => each === spelledOut || (spelledOut.endsWith("/") && each.startsWith(spelledOut))))
    return null;
  const url = new URL(spelledOut);
  const isNamed = known.some((each) => new URL(each).host === url.host) || sources.some((source) => names(source, url));
  if (!isNamed) return url.href;
  const rest = `${url.pathname}${url.search}`;
  return rest === "/" || sources.some((source) => isWholeOf(source, url)) ? null : rest;
}

export interface KnownAddresses {
  readonly known: readonly string[];
  readonly sources: readonly string[];
}

/** Whether a source names exactly this host. Under a wildcard, the host name itself could tell something. */
function names(source: string, url: URL): boolean {
  const pattern = parseHostPattern(sourceParts(source).host);
  return pattern !== null && !pattern.beneath && pattern.name === url.hostname;
}

function isWholeOf(source: string, url: URL): boolean {
  const { path } = sourceParts(source);
  return path !== "" && names(source, url) && path === `${url.pathname}${url.search}`;
}
