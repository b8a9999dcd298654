import { parseHostPattern, sourceParts } from "./host-patterns.ts";

/** What surrounds an address in a text and is no part of it. */
const WHOLE = /https?:\/\/[^\s<>"'`\\]+/giu;
const BARE = /(?<![\w@/.:-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d{1,5})?(?:\/[^\s<>"'`\\]*)?/giu;
/** Where one may end before the text does: Markdown, a sentence, a link of Slack's. */
const ENDS = /[)\]|}*_.,;:!?]/gu;
/** Places within one text that are tried as its end. */
const MOST_ENDS = 40;

/** The addresses that stand in a text, in the one spelling that they are compared in. */
export function addressesIn(text: string): string[] {
  const whole = (text.match(WHOLE) ?? []).flatMap(readings);
  const bare = (text.match(BARE) ?? []).flatMap((each) => [`http://${each}`, `https://${each}`]).flatMap(readings);
  return [...whole, ...bare].flatMap((each) => spelledAddress(each) ?? []);
}

function readings(text: string): string[] {
  const ends = [...text.matchAll(ENDS)].slice(0, MOST_ENDS).map(({ index }) => text.slice(0, index));
  return [text, ...ends];
}

/** Null for what is no address of the web. */
export function spelledAddress(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.hostname === "") return null;
  url.hash = "";
  url.hostname = url.hostname.replace(/(?<!\.)\.+$/u, "");
  return url.href;
}

/**
 * What an address says beyond where it leads: what somebody could read there of whoever made it up. Null when it says
 * nothing: it is known, leads to where a known one does on its way, or is the front page of a host, or the whole of a source,
 * that is known by name. `known`: addresses as `addressesIn` spells them; `sources`: patterns of hosts, perhaps with a path.
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

/** Whether a source names this very host: beneath a wildcard, the name itself says something. */
function names(source: string, url: URL): boolean {
  const pattern = parseHostPattern(sourceParts(source).host);
  return pattern !== null && !pattern.beneath && pattern.name === url.hostname;
}

function isWholeOf(source: string, url: URL): boolean {
  const { path } = sourceParts(source);
  return path !== "" && names(source, url) && path === `${url.pathname}${url.search}`;
}
