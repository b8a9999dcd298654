import type { OutgoingFile } from "../../../core/platform/outgoing.ts";
import type { UsageSum } from "../../../core/store/ledger/usage-report.ts";
import { drawChart, PALETTE } from "./draw.ts";
import { encodePng } from "./png.ts";
import { shortNumber } from "./scale.ts";

export interface DaySum extends Pick<UsageSum, "costUsd" | "tokens"> {
  /** `2026-11-22` */
  readonly day: string;
}

/** In pixels. Slack shows pictures 360 pixels wide, so the letters of a larger one would be too small. */
const SIZE = { width: 640, height: 300 };

/**
 * A chart of each day's cost, or of tokens if nothing has a price. Null if a chart would tell nothing: for a single
 * day, or if nothing was spent.
 */
export function usageChart(days: readonly DaySum[]): OutgoingFile | null {
  const isPriced = days.some(({ costUsd }) => costUsd > 0);
  const values = days.map(({ costUsd, tokens }) => (isPriced ? costUsd : tokens));
  if (days.length < 2 || Math.max(...values) === 0) return null;
  const chart = {
    type: "bar",
    title: `${isPriced ? "Cost" : "Tokens"} per day (UTC)`,
    labels: days.map(({ day }) => dayLabel(day)),
    series: [{ name: "", values }],
  } as const;
  const drawn = drawChart(chart, { ...SIZE, valueText: isPriced ? dollars : tokenText });
  return { name: "usage-by-day.png", mediaType: "image/png", data: encodePng(drawn, PALETTE) };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Nov 28` */
function dayLabel(day: string): string {
  const [, month, date] = day.split("-").map(Number);
  return `${MONTHS[(month ?? 1) - 1]} ${date}`;
}

/** Short enough for a bar: `$0.004`, `$0.026`, `$0.40`, `$5`, `$12`. */
function dollars(value: number): string {
  if (value >= 10) return `$${Math.round(value)}`;
  if (value < 0.1) return `$${Number(value.toPrecision(value < 0.01 ? 1 : 2))}`;
  return `$${value.toFixed(2).replace(/\.00$/, "")}`;
}

/** Short enough for a bar: `6206`, `787K`. */
function tokenText(value: number): string {
  return shortNumber(value < 10_000 ? value : Number(value.toPrecision(3)));
}
