import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { z } from "zod";
import { runCli } from "../../support/program/cli.ts";
import { emptyWindow, openWindow } from "../../support/program/window.ts";
import { typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

const PASSWORD = "heron on the long pier";

/** The whole program with a local Slack, its page open to everybody with an account. */
export async function consoleOffice(
  settings: object = {},
  env: Readonly<Record<string, string>> = {},
): Promise<SlackOffice> {
  const at = await openToAll(settings, env);
  await at.bot.start();
  return at;
}

/** The same office before the program starts. */
export async function openToAll(
  settings: object = {},
  env: Readonly<Record<string, string>> = {},
): Promise<SlackOffice> {
  const at = await slackOffice({ env: { HOST: "0.0.0.0", ...env }, settings });
  at.slack.workspace.users.set("U0CLEO", { id: "U0CLEO", name: "cleo" });
  return at;
}

export function originOf(at: SlackOffice): string {
  return `http://127.0.0.1:${at.bot.port}`;
}

/** Creates an account. */
export async function addAccount(
  at: SlackOffice,
  { name, role = "operator" }: { readonly name: string; readonly role?: string },
): Promise<void> {
  const stdin = Readable.from([Buffer.from(`${PASSWORD}\n`)]);
  const { error } = await runCli(["user", "add", name, "--role", role], { cwd: at.bot.home, env: at.env, stdin });
  if (error !== "") throw new Error(error);
}

/** Windows left for reuse, by office and account, with the options they were opened with. */
const left = new WeakMap<SlackOffice, Map<string, Left>>();

interface Left {
  readonly page: Page;
  readonly opened: string;
}

/** Functions that put a window back for reuse. */
const leaving = new WeakMap<Page, () => Promise<void>>();

/** Leaves a signed-in window to the next sign-in by the same name. */
export async function leave(page: Page): Promise<void> {
  tokens.delete(page);
  await emptyWindow(page);
  await leaving.get(page)?.();
}

interface Visitor extends BrowserContextOptions {
  readonly name: string;
  /** The section to open: the part of the address after `#`. */
  readonly section?: string;
}

/**
 * Returns a signed-in window. Reuses a window that was left by the same name while its sign-in is valid, because
 * checking a password is slow on purpose.
 */
export async function signedIn(
  at: SlackOffice,
  browser: Browser,
  { name, section, ...options }: Visitor,
): Promise<Page> {
  const page = await windowOf(at, browser, { name, ...options });
  const address = section === undefined ? originOf(at) : `${originOf(at)}/#/${section}`;
  if ((await page.context().cookies()).length > 0) await page.goto(address);
  // Without a valid sign-in, the page shows the form.
  if (new URL(page.url()).pathname !== "/") {
    await signIn(at, page, name);
    await page.goto(address);
  }
  await page.getByText("Sign out").waitFor({ state: "attached" });
  return page;
}

/** Submits the login form without displaying it. */
async function signIn(at: SlackOffice, page: Page, name: string): Promise<void> {
  const { request } = page.context();
  const origin = originOf(at);
  const shown = await (await request.get(`${origin}/login`)).text();
  const token = /name="token" value="([^"]+)"/u.exec(shown)?.[1] ?? "";
  const form = { token, name, password: PASSWORD };
  const answer = await request.post(`${origin}/login`, { form, headers: { origin }, maxRedirects: 0 });
  if (answer.status() !== 303) throw new Error(`${answer.status()} ${await answer.text()}`);
}

async function windowOf(at: SlackOffice, browser: Browser, { name, viewport, ...options }: Visitor): Promise<Page> {
  const windows = left.get(at) ?? new Map<string, Left>();
  left.set(at, windows);
  const before = windows.get(name);
  windows.delete(name);
  const opened = JSON.stringify(options);
  if (before?.opened === opened) {
    if (viewport) await before.page.setViewportSize(viewport);
    return before.page;
  }
  const page = await openWindow(browser, { locale: "en-US", ...options, ...(viewport ? { viewport } : {}) });
  await page.context().addCookies((await before?.page.context().cookies()) ?? []);
  await before?.page.context().close();
  leaving.set(page, async () => {
    await windows.get(name)?.page.context().close();
    windows.set(name, { page, opened });
  });
  hearToken(page);
  return page;
}

/** Links the page's account to a person of Slack, as people do. */
export async function link(at: SlackOffice, page: Page, user: string): Promise<void> {
  const composer = page.getByRole("textbox", { name: "Message to Deckhand" });
  await composer.fill("/link");
  await composer.press("Enter");
  const told = page.getByRole("list", { name: "Messages" }).getByText("send this to Deckhand on Slack or Discord");
  await told.waitFor();
  const line = /\/link (\w+ \w{10})/u.exec((await told.textContent()) ?? "")?.[1] ?? "";
  const answer = await typed(at, line, { channel: at.channel(), name: "link", user });
  if (!answer.includes("is linked to you")) throw new Error(answer);
}

/** Sends a forged request with the page's cookies and token; a GET if there is no body. */
export async function handMade(
  page: Page,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: string }> {
  const token = body === undefined ? "" : await changeToken(page);
  return page.evaluate(fetching, { path, json: JSON.stringify(body), token });
}

/** The change token that the server sent to each page. */
const tokens = new WeakMap<Page, string>();

function hearToken(page: Page): void {
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const token = /"changeToken":"([^"]+)"/u.exec(String(payload))?.[1];
      if (token !== undefined) tokens.set(page, token);
    }),
  );
}

async function changeToken(page: Page): Promise<string> {
  await expect.poll(() => tokens.has(page), { message: "the page is given its token" }).toBe(true);
  return tokens.get(page) ?? "";
}

async function fetching({ path, json, token }: { path: string; json: string | undefined; token: string }) {
  const headers = { "content-type": "application/json", "x-deckhand-change": token };
  const answer = await fetch(path, json === undefined ? {} : { method: "POST", headers, body: json });
  return { status: answer.status, body: await answer.text() };
}

/** Saves a screenshot if CONSOLE_PICTURES names a directory. */
export async function picture(page: Page, name: string): Promise<void> {
  const directory = process.env["CONSOLE_PICTURES"];
  if (directory !== undefined) writeFileSync(`${directory}/${name}.png`, await page.screenshot());
}

/** Screen widths in pixels; each is checked in light and dark mode. */
export const WIDTHS = { wide: 1280, narrow: 390 } as const;
const SCHEMES = ["light", "dark"] as const;

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Extracts only the violations, because transferring the passed checks takes several times as long as the checks. */
const BROKEN = "({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html))";

/** The rules of axe-core about colours. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

interface Looked {
  /** Rules to check; all if absent. */
  readonly rules?: readonly string[];
  /** Selector of the element to check; the whole page if absent. */
  readonly within?: string;
}

/** Returns each broken rule of axe-core with its place. */
export async function complaintsAbout(page: Page, { rules, within }: Looked = {}): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE);
  const asked = rules === undefined ? {} : { runOnly: { type: "rule", values: rules } };
  const options = JSON.stringify({ ...asked, resultTypes: ["violations"] });
  const place = within === undefined ? "document" : JSON.stringify(within);
  return z.array(z.string()).parse(await page.evaluate(`axe.run(${place}, ${options}).then(${BROKEN})`));
}

interface Screens extends Pick<Looked, "within"> {
  readonly widths?: readonly number[];
  /** Further checks on each screen. */
  readonly also?: () => Promise<void>;
}

/**
 * Checks the page on each screen: axe-core finds nothing, and nothing is wider than the screen. Dark mode is checked
 * only by the rules about colours, because only colours differ.
 */
export async function expectSound(
  page: Page,
  name: string,
  { widths = Object.values(WIDTHS), within, also }: Screens = {},
): Promise<void> {
  const before = page.viewportSize() ?? { width: WIDTHS.wide, height: 800 };
  const place = within === undefined ? {} : { within };
  for (const width of widths) {
    await page.setViewportSize({ ...before, width });
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await also?.();
      const rules = colorScheme === "dark" ? { rules: OF_COLOURS } : {};
      expect(await complaintsAbout(page, { ...rules, ...place })).toEqual([]);
      await picture(page, `${name}-${width}-${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: "light" });
  }
  await page.setViewportSize(before);
}

/** The links of the list of sessions. */
export const sessionRows = (page: Page) => page.getByRole("list", { name: "Sessions" }).getByRole("link");

export async function openSessions(page: Page): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
}

/** Opens a session and returns its id. */
export async function openSession(page: Page, words: string): Promise<string> {
  await openSessions(page);
  await sessionRows(page).filter({ hasText: words }).click();
  await page.getByRole("heading", { name: words }).waitFor();
  return decodeURIComponent(new URL(page.url()).hash.split("/").at(-1) ?? "");
}
