import { Mistake } from "../answer.ts";
import { Canvas, textWidth } from "./canvas.ts";
import type { Colour } from "./png.ts";
import { scaleFor } from "./scale.ts";

/** As tool.json describes the input. */
export interface Chart {
  readonly type: "bar" | "line";
  readonly title?: string;
  readonly labels: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
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

const [WIDTH, HEIGHT] = [800, 450];
const PLOT = { left: 80, right: WIDTH - 20, top: 60, bottom: HEIGHT - 70 };
const LINE_HEIGHT = 12;

export function drawChart(chart: Chart): Canvas {
  for (const { name, values } of chart.series) {
    if (values.length !== chart.labels.length) {
      throw new Mistake(`${name} has ${values.length} values for ${chart.labels.length} labels; give as many.`);
    }
  }
  const canvas = new Canvas(WIDTH, HEIGHT);
  const { title = "" } = chart;
  canvas.text(title, { x: (WIDTH - textWidth(title, 2)) / 2, y: 14, size: 2 }, INK);
  const scale = scaleFor(chart.series.flatMap(({ values }) => values));
  const yOf = (value: number): number =>
    PLOT.bottom - ((value - scale.low) / (scale.high - scale.low)) * (PLOT.bottom - PLOT.top);
  for (const { value, label } of scale.marks) {
    canvas.rectangle(
      { x: PLOT.left, y: yOf(value), width: PLOT.right - PLOT.left, height: 1 },
      value === 0 ? AXIS : GRID,
    );
    canvas.text(label, { x: PLOT.left - 8 - textWidth(label), y: yOf(value) - 3 }, INK);
  }
  drawLabels(canvas, chart.labels);
  if (chart.type === "bar") drawBars(canvas, chart, yOf);
  else drawLines(canvas, chart, yOf);
  drawLegend(canvas, chart);
  return canvas;
}

function slotOf(labels: number): number {
  return (PLOT.right - PLOT.left) / labels;
}

/** Under the middle of their slots; as many as have room, each cut to its slot. */
function drawLabels(canvas: Canvas, labels: readonly string[]): void {
  const slot = slotOf(labels.length);
  const every = Math.max(1, Math.ceil(textWidth("00000") / slot));
  labels.forEach((label, index) => {
    if (index % every !== 0) return;
    const room = Math.max(1, Math.floor((slot * every) / textWidth("0")) - 1);
    const words = Array.from(label).slice(0, room).join("");
    canvas.text(words, { x: PLOT.left + (index + 0.5) * slot - textWidth(words) / 2, y: PLOT.bottom + 8 }, INK);
  });
}

function drawBars(canvas: Canvas, { labels, series }: Chart, yOf: (value: number) => number): void {
  const slot = slotOf(labels.length);
  const width = (slot * 0.8) / series.length;
  series.forEach(({ values }, which) => {
    values.forEach((value, index) => {
      const [top, bottom] = [Math.min(yOf(value), yOf(0)), Math.max(yOf(value), yOf(0))];
      const x = PLOT.left + index * slot + slot * 0.1 + which * width;
      canvas.rectangle({ x, y: top, width: Math.max(1, width - 1), height: bottom - top }, FIRST_SERIES + which);
    });
  });
}

function drawLines(canvas: Canvas, { labels, series }: Chart, yOf: (value: number) => number): void {
  const slot = slotOf(labels.length);
  series.forEach(({ values }, which) => {
    const points = values.map((value, index) => [PLOT.left + (index + 0.5) * slot, yOf(value)] as const);
    points.forEach((point, index) => {
      canvas.line(points[index - 1] ?? point, point, FIRST_SERIES + which);
      canvas.rectangle({ x: point[0] - 2, y: point[1] - 2, width: 6, height: 6 }, FIRST_SERIES + which);
    });
  });
}

function drawLegend(canvas: Canvas, { series }: Chart): void {
  let [x, y] = [PLOT.left, PLOT.bottom + 30];
  series.forEach(({ name }, which) => {
    const width = textWidth(name) + 30;
    if (x + width > PLOT.right && x > PLOT.left) [x, y] = [PLOT.left, y + LINE_HEIGHT];
    canvas.rectangle({ x, y, width: 8, height: 8 }, FIRST_SERIES + which);
    canvas.text(name, { x: x + 12, y }, INK);
    x += width;
  });
}
