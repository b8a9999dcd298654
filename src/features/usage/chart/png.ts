import { zlibSync } from "fflate";
import type { Canvas } from "./canvas.ts";
import { FULL } from "./font.ts";

/** Red, green and blue. */
export type Colour = readonly [number, number, number];

const WHITE: Colour = [255, 255, 255];

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** zlib's fastest level: after the filter, repeated rows are zeros, so that more effort gains little. */
const FAST = 1;

/** PNG's filter that stores each byte's difference from the one above. */
const UP = 2;

/** Encodes a PNG of 8-bit palette indices: white, then the shades of each colour up to full coverage. */
export function encodePng({ width, height, pixels }: Canvas, palette: readonly Colour[]): Uint8Array {
  const header = [...bigEndian(width), ...bigEndian(height), 8, 3, 0, 0, 0];
  const rows = new Uint8Array(height * (width + 1));
  for (let y = 0; y < height; y++) {
    const start = y * (width + 1);
    rows[start] = UP;
    for (let x = 0; x < width; x++) {
      const above = y === 0 ? 0 : (pixels[(y - 1) * width + x] ?? 0);
      rows[start + 1 + x] = (pixels[y * width + x] ?? 0) - above;
    }
  }
  const parts = [
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", [WHITE, ...palette.flatMap(shadesOf)].flat()),
    chunk("IDAT", zlibSync(rows, { level: FAST })),
    chunk("IEND", []),
  ];
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** The shades of a colour on white, by coverage. */
function shadesOf(colour: Colour): Colour[] {
  const [red, green, blue] = colour;
  return Array.from({ length: FULL }, (_, index) => {
    const shade = (value: number): number => Math.round(255 - ((255 - value) * (index + 1)) / FULL);
    return [shade(red), shade(green), shade(blue)];
  });
}

function chunk(type: string, data: Iterable<number>): number[] {
  const body = Array.from(type)
    .map((character) => character.charCodeAt(0))
    .concat([...data]);
  return [...bigEndian(body.length - type.length), ...body, ...bigEndian(crc32(body))];
}

function bigEndian(value: number): number[] {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
}

/** As PNG has it: the polynomial 0xedb88320, bits reversed. */
function crc32(bytes: readonly number[]): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc;
}
