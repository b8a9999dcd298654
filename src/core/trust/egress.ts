import { freePartOf } from "./addresses.ts";
import { holdsFor, parseHostPattern } from "./host-patterns.ts";
import { type Holding, isWithin, type Label, originsIn } from "./label.ts";

/** What one call would send to one place. */
export interface Sending {
  /** The host, with its port where that is not the scheme's, or whatever else people know the place by. */
  readonly to: string;
  /** Exactly what leaves. */
  readonly says: string;
  /** It leaves by asking for this address, and by nothing else. */
  readonly address?: string;
  /** What may go there, by what an operator has set up: more than that is asked for. */
  readonly upTo?: Holding;
  /** It asks somebody for more of what they have named, and says nothing but these values. */
  readonly values?: readonly string[];
  /** Who that is: an origin, as labels have it. */
  readonly namedBy?: string;
}

/** A host that data may go to. */
export interface Sink {
  readonly host: string;
  /** Up to what: what was said in the channel, or its files, too. */
  readonly send: "channel" | "files";
}

/** What a request carries that addresses and words are compared with. */
export interface KnownWords {
  /** Addresses that people wrote, that content of the web named, or that were asked for before. */
  readonly addresses: readonly string[];
  /** What people who are served wrote. */
  readonly texts: readonly string[];
  /** Words that what came from an origin holds, where it came by a tool. */
  readonly namedBy?: (origin: string) => ReadonlySet<string>;
}

export interface EgressFacts {
  /** The request's. */
  readonly label: Label;
  readonly known: () => KnownWords;
  /** As in `allowedHosts`. */
  readonly sources: readonly string[];
  readonly sinks: readonly Sink[];
}

/** What leaves that nobody wrote, and where to. */
export interface FreeData {
  readonly to: string;
  readonly says: string;
}

/**
 * What of a call's sendings somebody outside could have made the model write, to read there what the conversation holds: data
 * that no person wrote, out of a request that carries words from outside and more than everybody may know, to where an
 * operator has not said that it may go. Null when there is nothing of the kind.
 */
export function freeData(sendings: readonly Sending[], facts: EgressFacts): FreeData | null {
  const { label, sinks } = facts;
  if (sendings.length === 0 || originsIn(label).length === 0 || isWithin(label, "public")) return null;
  const open = sendings.filter(({ to, upTo }) => !isWithin(label, upTo ?? "public") && !takes(sinks, to, label));
  if (open.length === 0) return null;
  const known = facts.known();
  for (const sending of open) {
    const { to, address } = sending;
    const free =
      address === undefined
        ? freeText(sending, known)
        : freePartOf(address, { known: known.addresses, sources: facts.sources });
    if (free !== null) return { to, says: free };
  }
  return null;
}

function takes(sinks: readonly Sink[], to: string, label: Label): boolean {
  const url = URL.parse(`http://${to}`);
  if (url === null) return false;
  return sinks.some(({ host, send }) => {
    const pattern = parseHostPattern(host);
    if (pattern === null || pattern.name === "" || (pattern.port ?? "") !== url.port) return false;
    return holdsFor(pattern, url.hostname) && isWithin(label, send);
  });
}

/** Values that one call may combine of what was named: with many of them it could spell anything. */
const MOST_VALUES = 4;

function freeText({ says, values, namedBy }: Sending, { texts, namedBy: wordsFrom }: KnownWords): string | null {
  const isSaid = (words: string) => texts.some((text) => standsIn(text, words));
  if (isSaid(says.trim())) return null;
  if (values === undefined || values.length > MOST_VALUES) return says;
  const named = namedBy === undefined ? undefined : wordsFrom?.(namedBy);
  return values.every((value) => isSaid(value.trim()) || named?.has(value) === true) ? null : says;
}

/** Whether words stand in a text as whole ones: single letters stand in any. */
function standsIn(text: string, words: string): boolean {
  if (words === "") return true;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isWithinWord(text, at) && !isWithinWord(text, at + words.length)) return true;
  }
  return false;
}

/** Whether a letter or figure stands on both sides of a place. */
function isWithinWord(text: string, at: number): boolean {
  return at > 0 && /^[\p{L}\p{N}]{2}$/u.test(text.slice(at - 1, at + 1));
}

const HELD: Readonly<Record<Holding, string>> = {
  public: "what everybody may read",
  channel: "what was said here",
  private: "what was said in a private channel",
  files: "files",
  secrets: "secrets",
};

/** What a request carries, as people read it: `files, and content of docs.example.com`. */
export function carriedText(label: Label): string {
  const held = label.holds.filter((holding) => holding !== "public").map((holding) => HELD[holding]);
  return `${held.join(", ")}, and content of ${originsIn(label).join(", ")}`;
}
