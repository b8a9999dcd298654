import { unzlibSync } from "fflate";
import { BASELINE, CELL_HEIGHT, CELLS, LETTERS } from "./letters.ts";

/** How much of each pixel a letter covers. */
export interface Glyph {
  /** Pixels from this letter to the next. */
  readonly advance: number;
  /** Rows of `width` pixels, from 0 to `FULL`. The first column is one pixel left of where the letter begins. */
  readonly coverage: Uint8Array;
  readonly width: number;
}

/** The coverage of a pixel that a letter covers whole. */
export const FULL = 15;

/** How high capitals are. Pixels. */
export const CAP_HEIGHT = 13;

/** From the top of capitals to a cell's top. Pixels. */
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

/** The letters of a text. One with an accent that the font lacks is shown without, any other that it lacks as a box. */
export function glyphsOf(text: string): Glyph[] {
  glyphs ??= unpack();
  const { known, box } = glyphs;
  return Array.from(
    text.normalize("NFC"),
    (letter) => known.get(letter) ?? known.get(letter.normalize("NFD").charAt(0)) ?? box,
  );
}
