import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { ProviderSecrets } from "./logins.ts";

/**
 * Values that the server gives to browsers and recognises without storing them. They are signed with the page's token,
 * so they stay valid across restarts and in every process of the same home.
 */

/** How long a browser stays known, in seconds. */
export const DEVICE_S = 15_552_000;
/** How long a browser that opened a printed address stays known until it signs in, in seconds. */
export const ENTRY_S = 600;

/** Stands for every account in the cookie of a browser that opened the printed address. */
export const ANY_ACCOUNT = "*";
/** Stands for the first account in the cookie of a browser that may create it. */
export const FIRST_ACCOUNT = "*first";

const DEVICE = /^([0-9a-z]{6,12})\.([\w-]{22})\.([\w-]{43})$/u;

/** Cookie that marks a browser as known for an account: time of issue, id of the browser, and signature. */
export function deviceCookie(token: string, name: string, now: number): string {
  const text = `${now.toString(36)}.${nonce()}`;
  return `${text}.${sign(token, "device", text, name)}`;
}

/** Id of the browser; null if it is not known for the account. */
export function knownDevice(token: string, known: DeviceCookie): string | null {
  const holds = isSignedWithin(token, known, DEVICE_S) || hasEntryCookie(token, known.cookie, known.now);
  return holds ? (DEVICE.exec(known.cookie)?.[2] ?? null) : null;
}

interface DeviceCookie {
  /** Empty if the browser has none. */
  readonly cookie: string;
  readonly name: string;
  readonly now: number;
}

function isSignedWithin(token: string, { cookie, name, now }: DeviceCookie, forS: number): boolean {
  const [, issued = "", device = "", signature = ""] = DEVICE.exec(cookie) ?? [];
  const ageS = (now - Number.parseInt(issued, 36)) / 1_000;
  return ageS >= 0 && ageS < forS && isSame(signature, sign(token, "device", `${issued}.${device}`, name));
}

/** Whether the browser opened a printed address recently and has not signed in since. */
export function hasEntryCookie(token: string, cookie: string, now: number): boolean {
  return isSignedWithin(token, { cookie, name: ANY_ACCOUNT, now }, ENTRY_S);
}

/** Whether the browser opened a printed address recently while there was no account. */
export function mayCreateFirstAccount(token: string, cookie: string, now: number): boolean {
  return isSignedWithin(token, { cookie, name: FIRST_ACCOUNT, now }, ENTRY_S);
}

/** Maximum duration of a sign-in at a provider, in seconds. */
export const PROVIDER_S = 600;
const TICKET = /^([0-9a-z]{6,12})\.[\w-]{22}$/u;

/** Ticket that a browser keeps in a cookie while it signs in at a provider. */
export function providerTicket(now: number): string {
  return `${now.toString(36)}.${nonce()}`;
}

/** Derives the secrets of a sign-in from its ticket, so none are stored; null if the ticket is invalid or expired. */
export function providerSecrets(token: string, ticket: string, now: number): ProviderSecrets | null {
  const ageS = (now - Number.parseInt(TICKET.exec(ticket)?.[1] ?? "", 36)) / 1_000;
  if (!(ageS >= 0 && ageS < PROVIDER_S)) return null;
  const made = (what: string) => sign(token, "provider", what, ticket);
  return { state: made("state"), nonce: made("nonce"), verifier: made("verifier") };
}

/** Hidden token of a form shown to the browser with this cookie. */
export function formToken(token: string, cookie: string): string {
  return sign(token, "form", cookie);
}

/** Token that the page of a login session sends with every changing request; no other page can know it. */
export function changeToken(session: string): string {
  return sign(session, "change");
}

/** Proof that the server holds this token, in answer to a challenge made by `nonce`. */
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
