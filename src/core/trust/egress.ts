import { freePartOf } from "./addresses.ts";
import { matchesHost, parseHostPattern } from "./host-patterns.ts";
import { type Holding, isWithin, type Label, originsIn } from "./label.ts";

/** What one call would send to one place. */
export interface OutgoingData {
  /** The host, with its port unless that is the scheme's default, or any other name that people know the place by. */
  readonly to: string;
  /** Exactly what is sent. */
  readonly says: string;
  /** Set if the data is sent only by requesting this address. */
  readonly address?: string;
  /** What may go there according to the operator's settings; sending more needs an approval. */
  readonly upTo?: Holding;
  /** Set if the call sends only these values, to ask a party for more about something that it named itself. */
  readonly values?: readonly string[];
  /** The party asked: an origin, as in labels. */
  readonly namedBy?: string;
}

/** A host that data may go to. */
export interface Sink {
  readonly host: string;
  /** What may go there: what was said in the channel, or also files. */
  readonly send: "channel" | "files";
}

/** Content of a request that addresses and words are compared with. */
export interface KnownContent {
  /** Addresses that people wrote, that web content named, or that were requested before. */
  readonly addresses: readonly string[];
  /** What people who are served wrote. */
  readonly texts: readonly string[];
  /** Words in what tools returned from an origin. */
  readonly namedBy?: (origin: string) => ReadonlySet<string>;
}

export interface EgressFacts {
  readonly label: Label;
  readonly known: () => KnownContent;
  /** As in `allowedHosts`. */
  readonly sources: readonly string[];
  readonly sinks: readonly Sink[];
}

/** Data to be sent that no person wrote, and its destination. */
export interface FreeData {
  readonly to: string;
  readonly says: string;
}

/**
 * Finds data among a call's sendings that an outsider could have made the model write in order to read the
 * conversation: data that no person wrote, from a request that contains outside words and anything not public, to a
 * destination that no operator has allowed. Null if there is none.
 */
export function freeData(sendings: readonly OutgoingData[], facts: EgressFacts): FreeData | null {
  const { label, sinks } = facts;
  if (sendings.length === 0 || originsIn(label).length === 0 || isWithin(label, "public")) return null;
  const open = sendings.filter(({ to, upTo }) => !isWithin(label, upTo ?? "public") && !isPermitted(sinks, to, label));
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

function isPermitted(sinks: readonly Sink[], to: string, label: Label): boolean {
  const url = URL.parse(`http://${to}`);
  if (url === null) return false;
  return sinks.some(({ host, send }) => {
    const pattern = parseHostPattern(host);
    if (pattern === null || pattern.name === "" || (pattern.port ?? "") !== url.port) return false;
    return matchesHost(pattern, url.hostname) && isWithin(label, send);
  });
}

/** Maximum number of named values that one call may combine; with many of them it could spell anything. */
const MAX_VALUES = 4;

function freeText({ says, values, namedBy }: OutgoingData, { texts, namedBy: wordsFrom }: KnownContent): string | null {
  const isSaid = (words: string) => texts.some((text) => containsWords(text, words));
  if (isSaid(says.trim())) return null;
  if (values === undefined || values.length > MAX_VALUES) return says;
  const named = namedBy === undefined ? undefined : wordsFrom?.(namedBy);
  return values.every((value) => isSaid(value.trim()) || named?.has(value) === true) ? null : says;
}

/** Whether words occur in a text as whole words, since single letters occur in any text. */
function containsWords(text: string, words: string): boolean {
  if (words === "") return true;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isWithinWord(text, at) && !isWithinWord(text, at + words.length)) return true;
  }
  return false;
}

/** Whether letters or digits stand on both sides of a position. */
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

/** What a request carries, as people read it: `files, and content from docs.example.com`. */
export function carriedText(label: Label): string {
  const held = label.holds.filter((holding) => holding !== "public").map((holding) => HELD[holding]);
  return `${held.join(", ")}, and content from ${originsIn(label).join(", ")}`;
}
