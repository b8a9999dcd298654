import { withoutCredentials } from "../../core/text/log-redaction.ts";
import { visibleText } from "../../core/text/plain-text.ts";
import { MOST_CHARS } from "./memory.ts";

export type Acceptable = { readonly text: string } | { readonly refused: string };

/**
 * Keys and tokens by how they begin, and what is named as a secret. Source: the providers' documentation of their keys'
 * formats. Each pattern takes linear time.
 */
const SECRETS: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[\w-]{16,}/u,
  /\bxox[abeoprs]-[\w-]{8,}/u,
  /\bxapp-[\w-]{8,}/u,
  /\bgh[opsur]_\w{20,}/u,
  /\bgithub_pat_\w{20,}/u,
  /\bglpat-[\w-]{16,}/u,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}\b/u,
  /\bAIza[\w-]{30,}/u,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}/u,
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/u,
  /\b(?:password|passwd|passphrase|secret|api[ _-]?key|access[ _-]?key|token|pin)\b["']?(?: is|:|=| =) ?["'`]?(?=\S*\d)\S{4,}/iu,
  /\b(?:password|passwd|passphrase|passcode|api[ _-]?key|access[ _-]?key)\b[^\n]{1,40}?(?: is|:|=) ?["'`]?(?=\S*\d)(?=\S*\p{L})\S{6,}/iu,
];

/** Control characters, which say nothing. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/** A text as it is kept, or why it is not. */
export function acceptable(text: string): Acceptable {
  if (text.length > MOST_CHARS) {
    return {
      refused: `That is too long to remember: ${text.length} characters of at most ${MOST_CHARS}. A file holds more.`,
    };
  }
  const clean = visibleText(text.replaceAll(CONTROL, "")).trim();
  if (clean === "") return { refused: "There is nothing to remember in that." };
  if (looksSecret(clean))
    return { refused: "That looks like a password, a key or a token: I do not keep such things." };
  return { text: clean };
}

export function looksSecret(text: string): boolean {
  return withoutCredentials(text) !== text || SECRETS.some((secret) => secret.test(text));
}
