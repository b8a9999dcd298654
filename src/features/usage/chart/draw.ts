import { Canvas, fitted, type Point, textWidth } from "./canvas.ts";
import { CAP_HEIGHT } from "./font.ts";
import type { Colour } from "./png.ts";
import { type Scale, scaleFor } from "./scale.ts";

export interface Chart {
  readonly type: "bar" | "line";
  readonly title?: string;
  readonly labels: readonly string[];
  /** Each series has one value per label. A series without a name is not in the legend. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

export interface ChartStyle {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Formats values of a single series at the axis and above bars. Without it there are no values above bars. */
  readonly valueText?: (value: number) => string;
}

/** Ink, followed by one colour per series, distinguishable for colour-blind people, too. */
export const PALETTE: readonly Colour[] = [
  [32, 32, 32],
  [0, 114, 178],
  [230, 159, 0],
  [0, 158, 115],
  [204, 121, 167],
  [213, 94, 0],
  [86, 180, 233],
];
const [INK, FIRST_SERIES] = [0, 1];
/** Coverage of the grid's lines and of the axis. */
const [GRID, AXIS] = [2, 8];

const LARGE: ChartStyle = { width: 800, height: 450 };
/** Space between elements and at the picture's edges, in pixels. */
const GAP = 8;
/** Line height of text, in pixels. */
const LINE = 24;
/** Maximum width of a label, in pixels, about that of a date; a wider one is cut if there is no room. */
const WIDEST_LABEL = 100;
/** Side of a legend's square, in pixels. */
const SWATCH = 14;

/** A legend entry, `x` pixels from the legend's left edge. */
interface LegendEntry {
  readonly name: string;
  readonly which: number;
  readonly x: number;
}

/** Shared by all drawing functions. */
interface Sheet {
  readonly canvas: Canvas;
  readonly style: ChartStyle;
  /** The area of the values, without their texts. In pixels. */
  readonly plot: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
  /** Width of the plot per label, in pixels. */
  readonly slot: number;
  readonly yOf: (value: number) => number;
}

/** Draws a chart on a white background, so that it looks the same on a dark page. */
export function drawChart(chart: Chart, style: ChartStyle = LARGE): Canvas {
  const { title = "", labels, series } = chart;
  const canvas = new Canvas(style.width, style.height);
  const heading = fitted(title, style.width - 2 * GAP);
  canvas.text(heading, { x: (style.width - textWidth(heading)) / 2, y: 2 * GAP }, INK);
  const scale = scaleFor(
    series.flatMap(({ values }) => values),
    style.valueText,
  );
  const left = 2 * GAP + Math.max(...scale.marks.map(({ label }) => textWidth(label)));
  const right = style.width - 2 * GAP;
  const legend = legendOf(series, right - left);
  const bottom = style.height - 2 * GAP - (1 + legend.length) * LINE;
  // Leaves room for a value between the highest bar and the title.
  const top = (title === "" ? 2 : 4) * GAP + CAP_HEIGHT + (style.valueText === undefined ? 0 : LINE - GAP);
  const yOf = (value: number): number => bottom - ((value - scale.low) / (scale.high - scale.low)) * (bottom - top);
  const plot = { left, right, top, bottom };
  const sheet = { canvas, style, plot, yOf, slot: (right - left) / labels.length };
  drawScale(sheet, scale);
  drawLabels(sheet, labels);
  if (chart.type === "bar") drawBars(sheet, chart);
  else drawLines(sheet, chart);
  drawLegend(sheet, legend);
  return canvas;
}

/** The legend's entries in lines of at most `room` pixels. */
function legendOf(series: Chart["series"], room: number): LegendEntry[][] {
  const lines: LegendEntry[][] = [];
  let x = room;
  series.forEach(({ name }, which) => {
    if (name === "") return;
    const width = SWATCH + GAP + textWidth(name);
    if (lines.length === 0 || x + width > room) {
      lines.push([]);
      x = 0;
    }
    lines.at(-1)?.push({ name, which, x });
    x += width + 3 * GAP;
  });
  return lines;
}

function drawScale({ canvas, plot, yOf }: Sheet, { marks }: Scale): void {
  for (const { value, label } of marks) {
    const line = { x: plot.left, y: yOf(value), width: plot.right - plot.left, height: 1 };
    canvas.rectangle(line, INK, value === 0 ? AXIS : GRID);
    canvas.text(label, { x: plot.left - GAP - textWidth(label), y: yOf(value) - CAP_HEIGHT / 2 }, INK);
  }
}

/** Draws labels centred below their slots: as many as fit, each cut to its slot. */
function drawLabels({ canvas, plot, slot }: Sheet, labels: readonly string[]): void {
  const widest = Math.min(WIDEST_LABEL, Math.max(...labels.map((label) => textWidth(label))));
  const every = Math.max(1, Math.ceil((widest + GAP) / slot));
  labels.forEach((label, index) => {
    if (index % every !== 0) return;
    const words = fitted(label, slot * every - GAP);
    const width = textWidth(words);
    const x = Math.max(GAP / 2, plot.left + (index + 0.5) * slot - width / 2);
    canvas.text(words, { x: Math.min(x, canvas.width - GAP / 2 - width), y: plot.bottom + GAP }, INK);
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

/** Writes values above non-zero bars, or only above the highest ones if not all fit. */
function drawValues({ canvas, plot, slot, yOf, style }: Sheet, values: readonly number[]): void {
  const { valueText } = style;
  if (valueText === undefined) return;
  const highest = Math.max(...values);
  const fitAll = values.every((value) => textWidth(valueText(value)) <= slot - GAP / 2);
  values.forEach((value, index) => {
    if (value <= 0 || !(fitAll || value === highest)) return;
    const width = textWidth(valueText(value));
    const middle = plot.left + (index + 0.5) * slot;
    const x = Math.min(plot.right - width, Math.max(plot.left, middle - width / 2));
    canvas.text(valueText(value), { x, y: yOf(value) - CAP_HEIGHT - 5 }, INK);
  });
}

function drawLines({ canvas, plot, slot, yOf }: Sheet, { series }: Chart): void {
  series.forEach(({ values }, which) => {
    const points = values.map((value, index): Point => [plot.left + (index + 0.5) * slot, yOf(value)]);
    points.forEach((point, index) => {
      canvas.line([points[index - 1] ?? point, point], 2.5, FIRST_SERIES + which);
      if (slot >= 2 * GAP) canvas.line([point, point], 7, FIRST_SERIES + which);
    });
  });
}

function drawLegend({ canvas, plot }: Sheet, legend: readonly (readonly LegendEntry[])[]): void {
  legend.forEach((line, row) => {
    const y = plot.bottom + (1 + row) * LINE + 2 * GAP;
    for (const { name, which, x } of line) {
      canvas.rectangle({ x: plot.left + x, y, width: SWATCH, height: SWATCH }, FIRST_SERIES + which);
      canvas.text(name, { x: plot.left + x + SWATCH + GAP, y }, INK);
    }
  });
}
