import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type UPlot from "uplot";
import { dollars } from "../../../../core/text/dollars.ts";
import type { TeamUsage } from "../../sessions/team-usage.ts";
import { useMedia } from "../use-media.ts";

/** Maximum number of rows with a colour of their own; the others share one. */
const MAX_SERIES = 5;
const HEIGHT = 220;
const DAY_S = 86_400;

interface Series {
  readonly label: string;
  /** US dollars of each day. */
  readonly perDay: readonly number[];
}

/** A stacked bar for each day. The table beside it has the same data as text. */
export function UsageChart({ usage }: { readonly usage: TeamUsage }): JSX.Element {
  const series = seriesOf(usage);
  const box = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const [day, setDay] = useState<number | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const isDark = useMedia("(prefers-color-scheme: dark)");
  useEffect(() => {
    const ending = new AbortController();
    const colours = [...(legend.current?.querySelectorAll(".swatch") ?? [])].map((one) => getComputedStyle(one).color);
    if (box.current !== null)
      draw(box.current, { usage, series, colours, setDay }, ending.signal).catch((error: unknown) => {
        reportError(error);
        setFailed(true);
      });
    return () => ending.abort();
  }, [usage, isDark]);
  return (
    <figure class="chart">
      <div ref={box} aria-hidden="true" />
      <figcaption>
        <ul ref={legend} aria-label="Legend">
          {series.map(({ label, perDay }, index) => (
            <li key={label}>
              <span class={`swatch series-${index}`} aria-hidden="true" /> {label}
              {day !== null && ` ${dollars(perDay[day] ?? 0)}`}
            </li>
          ))}
        </ul>
        <p class="hint">
          {hasFailed ? "The chart could not be drawn." : (usage.days[day ?? -1] ?? "US dollars per day (UTC)")}
        </p>
      </figcaption>
    </figure>
  );
}

/** Returns the most expensive rows and the sum of the rest, or the total if there are no rows. */
function seriesOf({ rows, perDay, days }: TeamUsage): readonly Series[] {
  if (rows.length === 0) return [{ label: "Everything", perDay }];
  const rest = rows.slice(MAX_SERIES);
  const others = days.map((_, day) => rest.reduce((sum, row) => sum + (row.perDay[day] ?? 0), 0));
  return [...rows.slice(0, MAX_SERIES), ...(rest.length === 0 ? [] : [{ label: "Others", perDay: others }])];
}

interface DrawArgs {
  readonly usage: TeamUsage;
  readonly series: readonly Series[];
  readonly colours: readonly string[];
  readonly setDay: (day: number | null) => void;
}

/** Draws the chart until the signal aborts. The plotting library is loaded on first use. */
async function draw(box: HTMLElement, drawing: DrawArgs, signal: AbortSignal): Promise<void> {
  const { default: Plot } = await import("uplot");
  if (signal.aborted) return;
  const plot = new Plot(optionsOf(Plot, box, drawing), stacked(drawing), box);
  const observer = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }));
  observer.observe(box);
  signal.addEventListener("abort", () => {
    observer.disconnect();
    plot.destroy();
  });
}

/** Sums each series with those below it, the total first, because later bars are drawn over taller ones. */
function stacked({ usage: { days }, series }: DrawArgs): UPlot.AlignedData {
  const sums = days.map(() => 0);
  const tops = series.map(({ perDay }) => days.map((_, day) => (sums[day] = (sums[day] ?? 0) + (perDay[day] ?? 0))));
  return [days.map((day) => Date.parse(day) / 1_000), ...tops.toReversed()];
}

function optionsOf(Plot: typeof UPlot, box: HTMLElement, { series, colours, setDay }: DrawArgs): UPlot.Options {
  const style = getComputedStyle(box);
  const axis = {
    stroke: style.color,
    font: `12px ${style.fontFamily}`,
    grid: { stroke: style.borderBottomColor, width: 1 },
    ticks: { show: false },
  };
  const paths = Plot.paths.bars?.({ size: [0.7, 48] });
  return {
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
    scales: {
      x: { range: (_plot, first, last) => [first - DAY_S / 2, last + DAY_S / 2] },
      y: { range: (_plot, _least, most) => [0, most === 0 ? 1 : most * 1.05] },
    },
    axes: [
      { ...axis, grid: { show: false }, incrs: [1, 2, 7, 14, 28].map((days) => days * DAY_S), values: "{MMM} {D}" },
      { ...axis, size: 64, values: (_plot, ticks) => ticks.map(dollars) },
    ],
    series: [
      {},
      ...series
        .map(({ label }, index) => ({
          label,
          fill: colours[index] ?? style.color,
          width: 0,
          points: { show: false },
          ...(paths === undefined ? {} : { paths }),
        }))
        .toReversed(),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => setDay(idx ?? null)] },
  };
}
