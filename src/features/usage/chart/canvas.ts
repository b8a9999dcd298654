import { FULL, glyphsOf, RISE } from "./font.ts";

export type Point = readonly [x: number, y: number];
type Ends = readonly [from: Point, to: Point];

/** A picture of palette indices. Anything outside it is not drawn. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  /** 0 is white. Each colour has `FULL` indices by coverage, the last one for full coverage. */
  readonly pixels: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height);
  }

  /** Draws a pixel, unless it is already covered more. */
  dot(x: number, y: number, index: number): void {
    if (x < 0 || x >= this.width || y < 0 || y >= this.height) return;
    const at = y * this.width + x;
    const before = this.pixels[at] ?? 0;
    if (before === 0 || (index - 1) % FULL >= (before - 1) % FULL) this.pixels[at] = index;
  }

  rectangle(area: { x: number; y: number; width: number; height: number }, colour: number, coverage = FULL): void {
    const [right, bottom] = [Math.round(area.x + area.width), Math.round(area.y + area.height)];
    for (let y = Math.round(area.y); y < bottom; y++) {
      for (let x = Math.round(area.x); x < right; x++) this.dot(x, y, colour * FULL + coverage);
    }
  }

  /** Draws a line with round ends; a disc if both ends are the same. */
  line(ends: Ends, width: number, colour: number): void {
    const [from, to] = ends;
    const reach = (width + 1) / 2;
    const [left, right] = [Math.min(from[0], to[0]) - reach, Math.max(from[0], to[0]) + reach];
    const bottom = Math.max(from[1], to[1]) + reach;
    for (let y = Math.ceil(Math.min(from[1], to[1]) - reach); y <= bottom; y++) {
      for (let x = Math.ceil(left); x <= right; x++) {
        const coverage = Math.round(FULL * Math.min(1, reach - distance(x, y, ends)));
        if (coverage > 0) this.dot(x, y, colour * FULL + coverage);
      }
    }
  }

  /** Draws a text. `at` is the upper left corner of its capitals. */
  text(words: string, at: { readonly x: number; readonly y: number }, colour: number): void {
    let left = Math.round(at.x) - 1;
    const top = Math.round(at.y) - RISE;
    for (const { advance, width, coverage } of glyphsOf(words)) {
      coverage.forEach((covered, index) => {
        if (covered === 0) return;
        this.dot(left + (index % width), top + Math.floor(index / width), colour * FULL + covered);
      });
      left += advance;
    }
  }
}

/** Distance from a point to the line between two others. */
function distance(x: number, y: number, [from, to]: Ends): number {
  const width = to[0] - from[0];
  const height = to[1] - from[1];
  const along = ((x - from[0]) * width + (y - from[1]) * height) / (width * width + height * height || 1);
  const share = Math.max(0, Math.min(1, along));
  return Math.hypot(x - from[0] - share * width, y - from[1] - share * height);
}

export function textWidth(words: string): number {
  return glyphsOf(words).reduce((width, { advance }) => width + advance, 0);
}

/** The text, cut with an ellipsis if it is wider than `room` pixels. */
export function fitted(words: string, room: number): string {
  if (textWidth(words) <= room) return words;
  const letters = Array.from(words);
  while (letters.length > 1 && textWidth(`${letters.join("").trimEnd()}…`) > room) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}
