import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { useShared } from "../run/use-shared.ts";
import { closeWindows, sharedBrowser } from "./browser.ts";
import { freePort } from "./free-port.ts";

/**
 * Windows of the browser. Tests reuse a window with its process and compiled code, because opening a window and loading
 * the page for the first time takes longer than most tests.
 */

/** The properties of a window that visits may change. */
type Look = Pick<BrowserContextOptions, "viewport" | "colorScheme" | "reducedMotion">;
const LOOK = { viewport: { width: 1280, height: 800 }, colorScheme: "light", reducedMotion: "no-preference" } as const;

const looks = new WeakMap<Page, Look>();

export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ ...LOOK, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  looks.set(page, { ...LOOK, ...options });
  return page;
}

/**
 * Content of an emptied window. It has the page's own opener policy, because any other makes the browser start a new
 * process.
 */
const NOTHING = { body: "", contentType: "text/html", headers: { "cross-origin-opener-policy": "same-origin" } };

/**
 * Removes all that a visit has left in a window, except cookies. A clock and a socket route cannot be removed, so a
 * test that sets one closes the window.
 */
export async function emptyWindow(page: Page): Promise<void> {
  page.removeAllListeners("console");
  page.removeAllListeners("pageerror");
  const address = new URL("/nothing", page.url()).href;
  await page.route(address, (route) => route.fulfill(NOTHING));
  await page.goto(address);
  await page.unrouteAll();
  await page.evaluate("localStorage.clear(); sessionStorage.clear()");
  const { viewport, colorScheme, reducedMotion } = { ...LOOK, ...looks.get(page) };
  await page.emulateMedia({ media: null, colorScheme, reducedMotion, forcedColors: "none" });
  await page.setViewportSize(viewport ?? LOOK.viewport);
}

/** For the enclosing tests, each of which serves its own page, and a window that visits these in turn. */
export interface OwnWindow {
  /** A shared port: to a browser another port is another page, for which it starts a new process. */
  port(): number;
  open(): Promise<Page>;
  /** Ends the visit, and empties the window. */
  leave(): Promise<void>;
}

export function useWindow(options: BrowserContextOptions = {}): OwnWindow {
  let page: Page | null = null;
  const port = useShared(freePort, async () => {
    page = null;
    await closeWindows(await sharedBrowser());
  });
  return {
    port,
    async open() {
      if (page === null || page.isClosed()) page = await openWindow(await sharedBrowser(), options);
      return page;
    },
    async leave() {
      if (page === null || page.isClosed()) return;
      await emptyWindow(page);
      await page.context().clearCookies();
    },
  };
}
