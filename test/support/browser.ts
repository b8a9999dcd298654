import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** Quiet, and runnable where there is no GPU, no /dev/shm to speak of and, as root, no sandbox. */
const FLAGS = [
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

const SYSTEM_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const SYSTEM_PATHS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** A headless Chromium: the one npm brings on x64 Linux, elsewhere the system's. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await browserPath(), args: FLAGS });
}

async function browserPath(): Promise<string> {
  if (process.platform === "linux" && process.arch === "x64") {
    const { default: bundled } = await import("@sparticuz/chromium");
    return bundled.executablePath();
  }
  const found = systemBrowser();
  if (found === null) throw new Error("No browser found. Install Chromium or Google Chrome to run the browser tests.");
  return found;
}

function systemBrowser(): string | null {
  const onPath = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((directory) => SYSTEM_NAMES.map((name) => join(directory, name)));
  return [...onPath, ...SYSTEM_PATHS].find((path) => existsSync(path)) ?? null;
}
