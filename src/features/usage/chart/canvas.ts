import { GLYPH_HEIGHT, GLYPH_WIDTH, hasInk } from "./font.ts";

/** A picture of palette indices. What falls outside of it is not drawn. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height);
  }

  dot(x: number, y: number, colour: number): void {
    const [column, row] = [Math.round(x), Math.round(y)];
    if (column >= 0 && column < this.width && row >= 0 && row < this.height)
      this.pixels[row * this.width + column] = colour;
  }

  rectangle(area: { x: number; y: number; width: number; height: number }, colour: number): void {
    for (let y = 0; y < Math.round(area.height); y++) {
      for (let x = 0; x < Math.round(area.width); x++) this.dot(Math.round(area.x) + x, Math.round(area.y) + y, colour);
    }
  }

  /** Two pixels wide. */
  line(from: readonly [number, number], to: readonly [number, number], colour: number): void {
    const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1])));
    for (let step = 0; step <= steps; step++) {
      const x = from[0] + ((to[0] - from[0]) * step) / steps;
      const y = from[1] + ((to[1] - from[1]) * step) / steps;
      this.rectangle({ x, y, width: 2, height: 2 }, colour);
    }
  }

  text(words: string, at: { readonly x: number; readonly y: number; readonly size?: number }, colour: number): void {
    const size = at.size ?? 1;
    Array.from(words).forEach((character, index) => {
      const left = at.x + index * (GLYPH_WIDTH + 1) * size;
      for (let row = 0; row < GLYPH_HEIGHT; row++) {
        for (let column = 0; column < GLYPH_WIDTH; column++) {
          if (!hasInk(character, column, row)) continue;
          this.rectangle({ x: left + column * size, y: at.y + row * size, width: size, height: size }, colour);
        }
      }
    });
  }
}

export function textWidth(words: string, size = 1): number {
  return Array.from(words).length * (GLYPH_WIDTH + 1) * size;
}
