import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { ProviderSecrets } from "./logins.ts";

/**
 * What the server gives a browser and knows again without having kept it: signed with the page's token, so that it holds
 * over restarts, and with every process of the home.
 */

/** How long a browser is known. Seconds. */
export const DEVICE_S = 15_552_000;
/** How long one that was let in by a printed address is, before it signs in. Seconds. */
export const VOUCHED_S = 600;

/** Stands for every account: this browser was opened by the printed address. */
export const ANYBODY = "*";
/** Stands for the first account: this browser may make it. */
export const FOUNDER = "*first";

const DEVICE = /^([0-9a-z]{6,12})\.([\w-]{22})\.([\w-]{43})$/u;

/** A cookie by which a browser is known for an account: it says when it was made, and which browser it is. */
export function deviceCookie(token: string, name: string, now: number): string {
  const text = `${now.toString(36)}.${nonce()}`;
  return `${text}.${sign(token, "device", text, name)}`;
}

/** What tells the browser from others; null where it is not known for the account. */
export function knownDevice(token: string, known: Known): string | null {
  const holds = holdsFor(token, known, DEVICE_S) || isVouched(token, known.cookie, known.now);
  return holds ? (DEVICE.exec(known.cookie ?? "")?.[2] ?? null) : null;
}

interface Known {
  readonly cookie: string | undefined;
  readonly name: string;
  readonly now: number;
}

function holdsFor(token: string, { cookie, name, now }: Known, forS: number): boolean {
  const [, issued = "", device = "", signature = ""] = DEVICE.exec(cookie ?? "") ?? [];
  const ageS = (now - Number.parseInt(issued, 36)) / 1_000;
  return ageS >= 0 && ageS < forS && isSame(signature, sign(token, "device", `${issued}.${device}`, name));
}

/** Whether the browser was let in by a printed address of late, and has not signed in since. */
export function isVouched(token: string, cookie: string | undefined, now: number): boolean {
  return holdsFor(token, { cookie, name: ANYBODY, now }, VOUCHED_S);
}

/** Whether the browser was let in by a printed address of late, while there was no account. */
export function mayFound(token: string, cookie: string | undefined, now: number): boolean {
  return holdsFor(token, { cookie, name: FOUNDER, now }, VOUCHED_S);
}

/** How long signing in at a provider may take. Seconds. */
export const PROVIDER_S = 600;
const TICKET = /^([0-9a-z]{6,12})\.[\w-]{22}$/u;

/** What a browser carries that is sent to a provider. */
export function providerTicket(now: number): string {
  return `${now.toString(36)}.${nonce()}`;
}

/** What the sign-in of a ticket is known by again: made of it, so that nothing is kept; null where it is none any more. */
export function providerSecrets(token: string, ticket: string, now: number): ProviderSecrets | null {
  const ageS = (now - Number.parseInt(TICKET.exec(ticket)?.[1] ?? "", 36)) / 1_000;
  if (!(ageS >= 0 && ageS < PROVIDER_S)) return null;
  const made = (what: string) => sign(token, "provider", what, ticket);
  return { state: made("state"), nonce: made("nonce"), verifier: made("verifier") };
}

/** What a form carries that was shown to a browser with this cookie. */
export function formToken(token: string, cookie: string): string {
  return sign(token, "form", cookie);
}

/** What the page of a session sends along with all that changes anything; no other page can know it. */
export function changeToken(session: string): string {
  return sign(session, "change");
}

/** What only a server with this token answers to a question of `nonce`. */
export function proofFor(token: string, question: string): string {
  return sign(token, "home", question);
}

export function isSame(given: string | undefined, right: string): boolean {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function nonce(): string {
  return randomBytes(16).toString("base64url");
}

export function sign(key: string, ...parts: readonly string[]): string {
  return createHmac("sha256", key).update(parts.join(" ")).digest("base64url");
}
