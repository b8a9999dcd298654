import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { useShared } from "../run/use-shared.ts";
import { closeWindows, sharedBrowser } from "./browser.ts";
import { freePort } from "./free-port.ts";

/**
 * Windows of the browser. One that a test leaves to the next has its process and what that has compiled: to open a
 * window, and to load the page in it for the first time, takes longer than most tests.
 */

/** What of a window its visits may change. */
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

/** What an emptied window shows. The page's own opener policy: for any other the browser begins a new process. */
const NOTHING = { body: "", contentType: "text/html", headers: { "cross-origin-opener-policy": "same-origin" } };

/**
 * Takes from a window all that a visit has left in it but its cookies. A clock and a route of sockets cannot be taken
 * back: whoever sets one closes the window.
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
  await page.emulateMedia({ media: null, colorScheme, reducedMotion });
  await page.setViewportSize(viewport ?? LOOK.viewport);
}

/** For the tests around: where each serves its own page, and a window that visits one after the other. */
export interface OwnWindow {
  /** To a browser another port is another page, for which it begins a new process. */
  port(): number;
  open(): Promise<Page>;
  /** The visit has ended: the window knows nothing of it any more. */
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
