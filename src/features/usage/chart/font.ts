import { unzlibSync } from "fflate";
import { BASELINE, CELL_HEIGHT, CELLS, LETTERS } from "./letters.ts";

/** A letter, as the coverage of each pixel. */
export interface Glyph {
  /** Pixels to the next letter. */
  readonly advance: number;
  /** Rows of `width` pixels, from 0 to `FULL`. The first column is one pixel to the left of the letter's origin. */
  readonly coverage: Uint8Array;
  readonly width: number;
}

/** The coverage of a fully covered pixel. */
export const FULL = 15;

/** Height of capitals, in pixels. */
export const CAP_HEIGHT = 13;

/** Distance from a cell's top to the top of capitals, in pixels. */
export const RISE = BASELINE - CAP_HEIGHT;

let glyphs: { readonly known: ReadonlyMap<string, Glyph>; readonly box: Glyph } | null = null;

function unpack(): NonNullable<typeof glyphs> {
  const bytes = unzlibSync(Uint8Array.from(atob(CELLS), (character) => character.charCodeAt(0)));
  let at = 0;
  const next = (): Glyph => {
    const advance = bytes[at] ?? 0;
    const width = advance + 2;
    const from = at + 1;
    at = from + width * CELL_HEIGHT;
    return { advance, width, coverage: bytes.subarray(from, at) };
  };
  return { known: new Map(Array.from(LETTERS, (letter) => [letter, next()])), box: next() };
}

/** The letters of a text. An accent that the font lacks is left out; any other missing letter becomes a box. */
export function glyphsOf(text: string): Glyph[] {
  glyphs ??= unpack();
  const { known, box } = glyphs;
  return Array.from(
    text.normalize("NFC"),
    (letter) => known.get(letter) ?? known.get(letter.normalize("NFD").charAt(0)) ?? box,
  );
}
