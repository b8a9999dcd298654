import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DefectError } from "../../../core/protocol/errors.ts";
import { type AccessControl, type AccessControlOptions, cookieIn, setCookie } from "./access-control.ts";
import { SECURITY_HEADERS } from "./guard.ts";
import { type LoginForm, loginNotice, loginPage, type SignInMethods, setupPage } from "./login-pages.ts";
import { registerProviderLogin } from "./login-provider.ts";
import type { Logins, Outcome } from "./logins.ts";
import { DEVICE_S, deviceCookie, formToken, hasEntryCookie, isSame, knownDevice, nonce } from "./signatures.ts";

/** Maximum size of a form, in bytes. */
const FORM_BYTES = 8_192;
/** How long an open form stays valid, in seconds. */
const FORM_S = 86_400;
/** Lifetime of the login cookie, in seconds. It outlasts the login session, which the server ends. */
const YEAR_S = 31_536_000;

const NO_ACCOUNT =
  "There is no account yet. Open the address that Deckhand printed when it started to create the first one; it works once, for ten minutes. <code>deckhand web-link</code> prints a new one.";
const TOO_OLD = "This form has expired. Try again.";
const NO_PASSWORDS = "Passwords are turned off. Use the sign-in button.";
const WRONG = "Wrong name or password.";

/** Forms post only to this server. With `no-referrer`, browsers would send the Origin header `null` with them. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

interface LoginRoutes extends AccessControlOptions {
  readonly access: AccessControl;
  /** Closes the open pages of a login session that has ended. */
  signedOut(token: string): void;
}

interface LoginRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Page = (form: LoginForm, ways: SignInMethods) => string;

/** Registers login and logout for a shared page. Access control has checked that posts come from the server's own pages. */
export function registerLogin(app: FastifyInstance, options: LoginRoutes): void {
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  const limit = { bodyLimit: FORM_BYTES };
  registerProviderLogin(app, {
    ...options,
    provider: () => loginsOf(options).provider,
    firstUse: async (ticket, forMs) => (await loginsOf(options).firstUse?.(ticket, forMs)) ?? true,
    isSignedIn: async (request) => {
      const session = cookieIn(request, "login", options.address);
      return session !== "" && (await loginsOf(options).signedIn(session, false)) !== null;
    },
    enter: async (request, reply, outcome) => enter({ request, reply }, options, outcome),
    refuse: async (request, reply, refused) => show({ request, reply }, options, { page: loginPage, ...refused }),
  });
  app.get("/login", async (request, reply) => showLogin({ request, reply }, options));
  app.post("/login", limit, async (request, reply) => takeLogin({ request, reply }, options));
  app.get("/setup", async (request, reply) => showSetup({ request, reply }, options));
  app.post("/setup", limit, async (request, reply) => takeSetup({ request, reply }, options));
  app.post("/logout", limit, async (request, reply) => takeLogout({ request, reply }, options));
}

async function showLogin(ask: LoginRequest, options: LoginRoutes): Promise<FastifyReply> {
  const logins = loginsOf(options);
  if (logins.provider === null && !(await logins.hasAccounts())) return ask.reply.redirect("/setup", 303);
  return show(ask, options, { page: loginPage, status: 200 });
}

async function takeLogin(ask: LoginRequest, options: LoginRoutes): Promise<FastifyReply> {
  const { request, reply } = ask;
  const form = fieldsOf(request);
  const name = form.get("name") ?? "";
  const again = { page: loginPage, name };
  if (!isOwnForm(ask, options, form)) return show(ask, options, { ...again, status: 403, problem: TOO_OLD });
  if (!signInMethodsOf(request, options).passwords)
    return show(ask, options, { ...again, status: 403, problem: NO_PASSWORDS });
  const cookie = cookieIn(request, "device", options.address);
  const device = knownDevice(options.token, { cookie, name: name.trim().toLowerCase(), now: options.clock.now() });
  const password = form.get("password") ?? "";
  const outcome = await loginsOf(options).signIn({ name, password, address: request.ip, device });
  if (outcome.type === "wrong") return show(ask, options, { ...again, status: 401, problem: WRONG });
  if (outcome.type === "signed_in") return enter(ask, options, outcome);
  reply.header("retry-after", outcome.seconds);
  return show(ask, options, { ...again, status: 429, problem: waitText(outcome.seconds) });
}

async function showSetup(ask: LoginRequest, options: LoginRoutes): Promise<FastifyReply> {
  if (await loginsOf(options).hasAccounts()) return ask.reply.redirect("/login", 303);
  if (!options.access.mayCreateFirstAccount(ask.request)) return sendPage(ask.reply, 401, loginNotice(NO_ACCOUNT));
  return show(ask, options, { page: setupPage, status: 200 });
}

async function takeSetup(ask: LoginRequest, options: LoginRoutes): Promise<FastifyReply> {
  if (!options.access.mayCreateFirstAccount(ask.request)) return sendPage(ask.reply, 401, loginNotice(NO_ACCOUNT));
  const form = fieldsOf(ask.request);
  const name = form.get("name") ?? "";
  const password = form.get("password") ?? "";
  const again = { page: setupPage, name };
  if (!isOwnForm(ask, options, form)) return show(ask, options, { ...again, status: 403, problem: TOO_OLD });
  if (password !== form.get("again")) {
    return show(ask, options, { ...again, status: 400, problem: "The two passwords differ." });
  }
  const outcome = await loginsOf(options).createFirst({ name, password });
  if (outcome.type === "signed_in") return enter(ask, options, outcome);
  if (outcome.type === "invalid") return show(ask, options, { ...again, status: 400, problem: outcome.problem });
  const words = 'Somebody else has made the first account meanwhile. <a href="/login">Sign in</a>.';
  return sendPage(ask.reply, 409, loginNotice(words));
}

async function takeLogout({ request, reply }: LoginRequest, options: LoginRoutes): Promise<FastifyReply> {
  const principal = options.access.principalOf(request);
  if (principal.kind === "account") {
    await loginsOf(options).signOut(principal.token);
    options.signedOut(principal.token);
  }
  setCookie({ request, reply }, { kind: "login", value: null, maxAgeS: 0 }, options.address);
  return reply.code(204).send();
}

/** Starts a new login session and ends the browser's previous one, which prevents session fixation. */
async function enter(
  { request, reply }: LoginRequest,
  options: LoginRoutes,
  { token, name }: Extract<Outcome, { type: "signed_in" }>,
): Promise<FastifyReply> {
  const { address } = options;
  const before = cookieIn(request, "login", address);
  if (before !== "") {
    await loginsOf(options).signOut(before);
    options.signedOut(before);
  }
  const device = deviceCookie(options.token, name, options.clock.now());
  const cookies = [
    { kind: "login", value: token, maxAgeS: YEAR_S },
    { kind: "device", value: device, maxAgeS: DEVICE_S },
    { kind: "form", value: null, maxAgeS: 0 },
    { kind: "setup", value: null, maxAgeS: 0 },
  ] as const;
  for (const cookie of cookies) setCookie({ request, reply }, cookie, address);
  return reply.redirect("/", 303);
}

interface Shown {
  readonly page: Page;
  readonly status: number;
  readonly name?: string;
  readonly problem?: string;
}

/** Sends a form that only this browser can post. */
function show({ request, reply }: LoginRequest, options: LoginRoutes, shown: Shown): FastifyReply {
  const { address, token } = options;
  const cookie = cookieIn(request, "form", address) || nonce();
  setCookie({ request, reply }, { kind: "form", value: cookie, maxAgeS: FORM_S }, address);
  const { page, status, name = "", problem = "" } = shown;
  const form = { token: formToken(token, cookie), name, problem };
  return sendPage(reply, status, page(form, signInMethodsOf(request, options)));
}

/** Ways to sign in. A printed address always permits passwords, so that the machine's own user is never locked out. */
function signInMethodsOf(request: FastifyRequest, options: LoginRoutes): SignInMethods {
  const { provider, takesPasswords } = loginsOf(options);
  const device = cookieIn(request, "device", options.address);
  const passwords = takesPasswords || hasEntryCookie(options.token, device, options.clock.now());
  return { provider: provider?.label ?? null, passwords };
}

function isOwnForm({ request }: LoginRequest, { address, token }: LoginRoutes, form: URLSearchParams): boolean {
  const cookie = cookieIn(request, "form", address);
  return cookie !== "" && isSame(form.get("token") ?? "", formToken(token, cookie));
}

function fieldsOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .headers({ ...SECURITY_HEADERS, ...PAGE_HEADERS })
    .type("text/html; charset=utf-8")
    .send(html);
}

function waitText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  const wait = seconds < 60 ? "a moment" : minutes === 1 ? "a minute" : `${minutes} minutes`;
  return `Too many attempts. Try again in ${wait}. A browser that was signed in before need not wait, nor one that opens the address printed by \`deckhand web-link\`.`;
}

/** The accounts, which are open before access control admits anybody to these routes. */
function loginsOf(options: LoginRoutes): Logins {
  const known = options.logins();
  if (known === null) throw new DefectError("accounts are not open yet");
  return known;
}
