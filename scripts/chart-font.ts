import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { zlibSync } from "fflate";
import { openBrowser } from "../test/support/program/browser.ts";

/**
 * Generates the letters of charts, src/features/usage/chart/letters.ts: `npx node scripts/chart-font.ts`. Charts are
 * drawn where no font or font library exists, even in a guest, so Chromium draws each letter once, here.
 */

const ROOT = path.resolve(import.meta.dirname, "..");
/** Open Sans, under the Apache License 2.0, which comes with the tests' browser. */
const FONT = path.join(ROOT, "node_modules/.cache/deckhand-chromium/fonts/fonts/Open_Sans/OpenSans-Regular.ttf");
const LETTERS = path.join(ROOT, "src/features/usage/chart/letters.ts");

/** In pixels; capitals are 13 pixels high. */
const FONT_SIZE = 18;
const HEIGHT = 24;
const BASELINE = 18;

/** First and last code points of Latin, Greek and Cyrillic letters and of signs. */
const RANGES = [
  [0x20, 0x7e],
  [0xa1, 0xac],
  [0xae, 0x17f],
  [0x386, 0x3ce],
  [0x400, 0x45f],
  [0x490, 0x491],
  [0x2013, 0x2022],
  [0x2026, 0x2026],
  [0x2030, 0x2033],
  [0x20ac, 0x20ac],
  [0x2122, 0x2122],
  [0x2202, 0x221e],
  [0x2248, 0x2265],
] as const;

interface Sheet {
  readonly font: string;
  readonly candidates: readonly string[];
  readonly size: number;
  readonly height: number;
  readonly baseline: number;
}

interface Drawn {
  readonly letters: string;
  readonly bytes: readonly number[];
}

/** The part of the browser's API that is used here. */
declare const document: { readonly fonts: { add(face: FontFace): void } };
declare class FontFace {
  constructor(family: string, source: string);
  load(): Promise<FontFace>;
}
declare class OffscreenCanvas {
  constructor(width: number, height: number);
  getContext(type: "2d"): {
    font: string;
    measureText(text: string): { readonly width: number };
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
    clearRect(x: number, y: number, width: number, height: number): void;
    strokeRect(x: number, y: number, width: number, height: number): void;
    fillText(text: string, x: number, y: number): void;
  };
}

/** Runs in the page. Resolves with the letters that the font has, each with its width and rows of coverage. */
async function drawLetters({ font, candidates, size, height, baseline }: Sheet): Promise<Drawn> {
  const face = new FontFace("Chart", `url(data:font/ttf;base64,${font})`);
  document.fonts.add(await face.load());
  const context = new OffscreenCanvas(64, height).getContext("2d");
  const widthIn = (families: string, letter: string): number => {
    context.font = `${size}px ${families}`;
    return context.measureText(letter).width;
  };
  const isInFont = (letter: string): boolean => widthIn("Chart, monospace", letter) === widthIn("Chart, serif", letter);
  const rowsOf = (width: number): number[] =>
    Array.from(context.getImageData(0, 0, width + 2, height).data)
      .filter((_, index) => index % 4 === 3)
      .map((alpha) => Math.round((alpha * 15) / 255));
  const letters = candidates.filter(isInFont);
  const bytes = letters.flatMap((letter) => {
    const width = Math.round(widthIn("Chart", letter));
    context.clearRect(0, 0, 64, height);
    context.fillText(letter, 1, baseline);
    return [width, ...rowsOf(width)];
  });
  context.clearRect(0, 0, 64, height);
  context.strokeRect(2.5, baseline - 12.5, 9, 12);
  return { letters: letters.join(""), bytes: [...bytes, 12, ...rowsOf(12)] };
}

const browser = await openBrowser();
const page = await browser.newPage();
const { letters, bytes } = await page.evaluate(drawLetters, {
  font: readFileSync(FONT).toString("base64"),
  size: FONT_SIZE,
  height: HEIGHT,
  baseline: BASELINE,
  candidates: RANGES.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  ).filter((letter) => /\P{Cn}/u.test(letter) && letter === letter.normalize("NFC")),
});
await browser.close();
const packed = Buffer.from(zlibSync(Uint8Array.from(bytes), { level: 9 })).toString("base64");
writeFileSync(
  LETTERS,
  `/** Made by scripts/chart-font.ts, of Open Sans. Each letter's cell is this high, in pixels. */
export const CELL_HEIGHT = ${HEIGHT};

/** The row on which letters stand. */
export const BASELINE = ${BASELINE};

/** The letters that have a cell, in their order; one more is for all others. */
export const LETTERS = ${JSON.stringify(letters)};

/**
 * Deflated, as base64: for each letter a byte with its width, then the rows of its cell, two pixels wider than the
 * letter, a byte for each pixel: how much of it is covered, from 0 to 15.
 */
export const CELLS = "${packed}";
`,
);
console.log(`${LETTERS}: ${Array.from(letters).length} letters, ${packed.length} characters`);
