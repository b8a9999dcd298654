import { type Figure, spreadOf } from "./measure.ts";

const HEADINGS = ["", "measure", "aim", "median", "min–max", "runs"];

/** Formats the figures as one table; ✓ and ✗ say whether the median meets the aim. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [HEADINGS, ...figures.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  const [headings = "", ...rest] = lines;
  return [headings, widths.map((width) => "─".repeat(width)).join("  "), ...rest].join("\n");
}

export function missedAims(figures: readonly Figure[]): Figure[] {
  return figures.filter((figure) => isMet(figure) === false);
}

/** Null if there is no aim or no figure. */
function isMet({ aim, samples }: Figure): boolean | null {
  const spread = spreadOf(samples);
  if (aim === null || spread === null) return null;
  return typeof aim === "number" ? spread.median < aim : spread.median >= aim.least;
}

function rowOf(figure: Figure): string[] {
  const { name, unit, samples } = figure;
  const spread = spreadOf(samples);
  const met = isMet(figure);
  return [
    met === null ? " " : met ? "✓" : "✗",
    name,
    aimText(figure),
    spread === null ? "not measured" : `${shown(spread.median)} ${unit}`,
    spread === null ? "" : `${shown(spread.min)}–${shown(spread.max)}`,
    String(samples.length),
  ];
}

function aimText({ aim, unit }: Figure): string {
  if (aim === null) return "–";
  return typeof aim === "number" ? `< ${aim} ${unit}` : `≥ ${aim.least} ${unit}`;
}

/** More than three digits would be noise on a shared machine. */
function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
