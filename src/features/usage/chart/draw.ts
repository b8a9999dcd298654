import { Canvas, textWidth } from "./canvas.ts";
import { GLYPH_HEIGHT } from "./font.ts";
import type { Colour } from "./png.ts";
import { type Scale, scaleFor } from "./scale.ts";

export interface Chart {
  readonly type: "bar" | "line";
  readonly title?: string;
  readonly labels: readonly string[];
  /** Each has a value for each label. One without a name is in no legend. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

export interface ChartStyle {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Pixels of each dot of the letters. */
  readonly textSize: number;
  /** How a value of a single series reads: at the axis, and above its bar. Above bars there is nothing without it. */
  readonly valueText?: (value: number) => string;
}

/** White, grid, axis, ink, then one for each series: apart for people who do not see all colours, too. */
export const PALETTE: readonly Colour[] = [
  [255, 255, 255],
  [224, 224, 224],
  [128, 128, 128],
  [32, 32, 32],
  [0, 114, 178],
  [230, 159, 0],
  [0, 158, 115],
  [204, 121, 167],
  [213, 94, 0],
  [86, 180, 233],
];
const [GRID, AXIS, INK, FIRST_SERIES] = [1, 2, 3, 4];

const LARGE: ChartStyle = { width: 800, height: 450, textSize: 2 };
const TITLE_SIZE = 2;
/** Pixels from one thing to the next, and to the picture's edge. */
const GAP = 8;
/** A date's. What is longer is cut where there is no room. Characters. */
const LONGEST_LABEL = 10;
/** Lines that a legend has room for. */
const LEGEND_LINES = 3;

/** What all parts of a drawing share. */
interface Sheet {
  readonly canvas: Canvas;
  readonly style: ChartStyle;
  /** Where the values are, without their texts. Pixels. */
  readonly plot: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
  /** The width of a label's share of the plot. Pixels. */
  readonly slot: number;
  readonly yOf: (value: number) => number;
}

/** The picture's own background is white, so that it reads the same on a dark page. */
export function drawChart(chart: Chart, style: ChartStyle = LARGE): Canvas {
  const { title = "", labels, series } = chart;
  const canvas = new Canvas(style.width, style.height);
  canvas.text(title, { x: (style.width - textWidth(title, TITLE_SIZE)) / 2, y: 14, size: TITLE_SIZE }, INK);
  const scale = scaleFor(
    series.flatMap(({ values }) => values),
    style.valueText,
  );
  const plot = plotIn(chart, style, scale);
  const yOf = (value: number): number =>
    plot.bottom - ((value - scale.low) / (scale.high - scale.low)) * (plot.bottom - plot.top);
  const sheet = { canvas, style, plot, yOf, slot: (plot.right - plot.left) / labels.length };
  drawScale(sheet, scale);
  drawLabels(sheet, labels);
  if (chart.type === "bar") drawBars(sheet, chart);
  else drawLines(sheet, chart);
  drawLegend(sheet, chart);
  return canvas;
}

function lineHeight({ textSize }: ChartStyle): number {
  return (GLYPH_HEIGHT + 5) * textSize;
}

function plotIn({ title = "", series }: Chart, style: ChartStyle, { marks }: Scale): Sheet["plot"] {
  const line = lineHeight(style);
  const hasLegend = series.some(({ name }) => name !== "");
  const above = title === "" ? 2 * GAP : 14 + GLYPH_HEIGHT * TITLE_SIZE + 2 * GAP;
  return {
    left: 2 * GAP + Math.max(...marks.map(({ label }) => textWidth(label, style.textSize))),
    right: style.width - 2 * GAP,
    // A value above the highest bar is still below the title.
    top: above + (style.valueText === undefined ? 0 : line),
    bottom: style.height - line - 2 * GAP - (hasLegend ? LEGEND_LINES * line : 0),
  };
}

function drawScale({ canvas, plot, yOf, style: { textSize: size } }: Sheet, { marks }: Scale): void {
  for (const { value, label } of marks) {
    const line = { x: plot.left, y: yOf(value), width: plot.right - plot.left, height: 1 };
    canvas.rectangle(line, value === 0 ? AXIS : GRID);
    const at = { x: plot.left - GAP - textWidth(label, size), y: yOf(value) - (GLYPH_HEIGHT * size) / 2, size };
    canvas.text(label, at, INK);
  }
}

/** Under the middle of their slots; as many as have room, each cut to its slot. */
function drawLabels({ canvas, plot, slot, style: { textSize: size } }: Sheet, labels: readonly string[]): void {
  const longest = Math.max(...labels.map((label) => textWidth(label, size)));
  const every = Math.max(1, Math.ceil((Math.min(longest, LONGEST_LABEL * textWidth("0", size)) + GAP / 4) / slot));
  const room = Math.max(1, Math.floor((slot * every) / textWidth("0", size)));
  labels.forEach((label, index) => {
    if (index % every !== 0) return;
    const words = Array.from(label).slice(0, room).join("");
    const width = textWidth(words, size);
    const x = Math.max(GAP / 2, plot.left + (index + 0.5) * slot - width / 2);
    canvas.text(words, { x: Math.min(x, canvas.width - GAP / 2 - width), y: plot.bottom + GAP, size }, INK);
  });
}

function drawBars(sheet: Sheet, { series }: Chart): void {
  const { canvas, plot, slot, yOf } = sheet;
  const width = (slot * 0.8) / series.length;
  series.forEach(({ values }, which) => {
    values.forEach((value, index) => {
      const [top, bottom] = [Math.min(yOf(value), yOf(0)), Math.max(yOf(value), yOf(0))];
      const x = plot.left + index * slot + slot * 0.1 + which * width;
      canvas.rectangle({ x, y: top, width: Math.max(1, width - 1), height: bottom - top }, FIRST_SERIES + which);
    });
  });
  const [only, another] = series;
  if (only !== undefined && another === undefined) drawValues(sheet, only.values);
}

/** Above each bar that is one; where not all have room, above the highest. */
function drawValues({ canvas, plot, slot, yOf, style }: Sheet, values: readonly number[]): void {
  const { valueText, textSize: size } = style;
  if (valueText === undefined) return;
  const highest = Math.max(...values);
  const fitAll = values.every((value) => textWidth(valueText(value), size) <= slot - GAP / 2);
  values.forEach((value, index) => {
    if (value <= 0 || !(fitAll || value === highest)) return;
    const width = textWidth(valueText(value), size);
    const middle = plot.left + (index + 0.5) * slot;
    const x = Math.min(plot.right - width, Math.max(plot.left, middle - width / 2));
    canvas.text(valueText(value), { x, y: yOf(value) - (GLYPH_HEIGHT + 2) * size, size }, INK);
  });
}

function drawLines({ canvas, plot, slot, yOf }: Sheet, { series }: Chart): void {
  series.forEach(({ values }, which) => {
    const points = values.map((value, index) => [plot.left + (index + 0.5) * slot, yOf(value)] as const);
    points.forEach((point, index) => {
      canvas.line(points[index - 1] ?? point, point, FIRST_SERIES + which);
      canvas.rectangle({ x: point[0] - 2, y: point[1] - 2, width: 6, height: 6 }, FIRST_SERIES + which);
    });
  });
}

function drawLegend({ canvas, plot, style }: Sheet, { series }: Chart): void {
  const { textSize: size } = style;
  const swatch = 8 * size;
  let [x, y] = [plot.left, plot.bottom + lineHeight(style) + 2 * GAP];
  series.forEach(({ name }, which) => {
    if (name === "") return;
    const width = textWidth(name, size) + swatch + 22;
    if (x + width > plot.right && x > plot.left) [x, y] = [plot.left, y + lineHeight(style)];
    canvas.rectangle({ x, y, width: swatch, height: swatch }, FIRST_SERIES + which);
    canvas.text(name, { x: x + swatch + 4, y, size }, INK);
    x += width;
  });
}
