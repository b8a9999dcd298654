import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";

/**
 * Quiet, and runnable where there is no GPU, no /dev/shm to speak of and, as root, no sandbox. Scripts are compiled
 * once: what the optimising compilers take is never won back in the seconds for which a test looks at a page.
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

/** The browser of all files that this process tests: to start one takes as long as many of the tests in it. */
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

/** A headless Chromium: the one npm brings on x64 Linux, elsewhere the system's. */
export async function openBrowser(): Promise<Browser> {
  if (process.platform === "linux" && process.arch === "x64") return openBundled();
  const executablePath = systemBrowser();
  if (executablePath !== null) return chromium.launch({ executablePath, args: FLAGS });
  throw new Error("No browser found. Install Chromium or Google Chrome to run the browser tests.");
}

const UNPACKED = fileURLToPath(new URL("../../../node_modules/.cache/deckhand-chromium", import.meta.url));

/** The package brings the libraries and fonts that a bare machine lacks; they are used only there. */
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
 * The package unpacks into the temporary directory and takes a file that is there for whole. Unpacked
 * aside and moved into place, neither another test process nor an interrupted one leaves half a browser.
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
