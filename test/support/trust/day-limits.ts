import path from "node:path";
import { onTestFinished } from "vitest";
import { systemRuntime } from "../../../src/runtime.ts";
import { DayGrowth } from "../../../src/tools/quotas/day-growth.ts";
import { createQuotas, type Quotas } from "../../../src/tools/quotas/quotas.ts";
import { silentLog } from "../silent-log.ts";
import { tempDirectory } from "../temp-directory.ts";

/** In bytes; omitted limits are practically unlimited. */
export type DayLimits = Readonly<Partial<Record<"root" | "person" | "channel", number>>>;

export function quotasOf({ root = 1e12, person = 1e12, channel = 1e12 }: DayLimits): Quotas {
  const world = { clock: systemRuntime().clock, log: silentLog };
  const ledger = new DayGrowth({ file: path.join(tempDirectory(), "growth.json"), ...world });
  const limits = { root: () => root, person, channel };
  const opened = createQuotas({ limits, isGiven: () => false, ledger, ...world });
  onTestFinished(() => opened.close());
  return opened;
}
