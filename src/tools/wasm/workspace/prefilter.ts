import { Buffer } from "node:buffer";
import { Refusal } from "./refusal.ts";

/** What every match of a search contains: one of the needles or one of the shapes. Files without it are skipped. */
export interface Prefilter {
  readonly needles: readonly string[];
  /** If set, needles are lower-case ASCII. */
  readonly foldCase: boolean;
  /** 32 hexadecimal digits for each byte of the shape: bit n says that byte n may appear there. */
  readonly shapes: readonly string[];
}

type Passes = (content: Buffer) => boolean;

/** Maximum places of all shapes together, one bit each. */
const MAX_PLACES = 31;

/**
 * Returns a predicate that is true for contents that may contain a match; it passes all if nothing is known of matches.
 */
export function prefilterOf({ needles, foldCase, shapes }: Prefilter): Passes {
  if (needles.length === 0) return shapes.length === 0 ? () => true : hasShape(shapes);
  if (foldCase) {
    return (content) => {
      const folded = content.toString("latin1").toLowerCase();
      return needles.some((needle) => folded.includes(needle));
    };
  }
  const encoded = needles.map((needle) => Buffer.from(needle));
  return (content) => encoded.some((needle) => content.includes(needle));
}

/**
 * Matches all shapes at once with one bit for each place (the shift-and algorithm): the time depends only on the
 * content's length, whatever shapes a guest asks for.
 */
function hasShape(shapes: readonly string[]): Passes {
  const { allowed, firsts, lasts } = placesOf(shapes);
  return (content) => {
    let reached = 0;
    for (let at = 0; at < content.length; at++) {
      reached = ((reached << 1) | firsts) & (allowed[content[at] ?? 0] ?? 0);
      if ((reached & lasts) !== 0) return true;
    }
    return false;
  };
}

/** For each byte the places where it may appear, and which places begin and end a shape. */
interface ByteMasks {
  readonly allowed: Uint32Array;
  readonly firsts: number;
  readonly lasts: number;
}

function placesOf(shapes: readonly string[]): ByteMasks {
  const allowed = new Uint32Array(256);
  let firsts = 0;
  let lasts = 0;
  let place = 0;
  for (const shape of shapes) {
    firsts |= 1 << place;
    for (const bytes of bytesOf(shape)) {
      for (let byte = 0; byte < 128; byte++) {
        if ((bytes >> BigInt(byte)) & 1n) allowed[byte] = (allowed[byte] ?? 0) | (1 << place);
      }
      place++;
    }
    lasts |= 1 << (place - 1);
  }
  if (place > MAX_PLACES) throw new Refusal(`At most ${MAX_PLACES} places can be looked for at once.`);
  return { allowed, firsts, lasts };
}

/** The guest's input is not trusted. */
function bytesOf(shape: string): bigint[] {
  if (!/^(?:[0-9a-f]{32})+$/.test(shape)) throw new Refusal("A shape is 32 hexadecimal digits for each place.");
  return (shape.match(/.{32}/g) ?? []).map((digits) => BigInt(`0x${digits}`));
}
