import { expect, test } from "vitest";
import type { JobSettings } from "../../../src/core/store/jobs.ts";
import { jobFields } from "../../../src/jobs/manage/job-fields.ts";
import { jobSettings } from "../../../src/jobs/manage/job-text.ts";
import { JOB_DEFAULTS } from "../../../src/jobs/scheduling/job-input.ts";
import { CHANNEL } from "../world.ts";

const JOB: JobSettings = {
  ...JOB_DEFAULTS,
  tools: [],
  name: "Report",
  prompt: "Report.",
  thread: CHANNEL,
  ownerId: "slack:U1",
  ownerName: "ana",
  cron: "@daily",
  dueOnce: null,
  timezone: "UTC",
};

test.each<{ also: Partial<JobSettings>; words: string }>([
  { also: {}, words: "only looks · takes at most 5 min · skips a run while the previous one is still going" },
  { also: { mode: "write", tools: ["bash"] }, words: "asks before it changes something · may use bash" },
  { also: { timeoutMs: 90_000, budgetUsd: 2 }, words: "takes at most 90 s · costs at most $2.00" },
  { also: { overlap: "queue", catchUp: "latest" }, words: "waits for the previous run · catches up once" },
  { also: { jitterMs: 60_000, attempts: 1 }, words: "after downtime · starts up to 1 min later · pauses" },
])("a job's settings are described in words instead of flag names: $words", ({ also, words }) => {
  expect(jobSettings({ ...JOB, ...also }).join(" · ")).toContain(words);
});

test.each([
  { settings: null, isTimezoneSet: false, isMachinesZone: true },
  { settings: null, isTimezoneSet: true, isMachinesZone: undefined },
  { settings: JOB, isTimezoneSet: false, isMachinesZone: undefined },
])(
  "a new job's time zone is marked as this machine's if none is configured: $isMachinesZone",
  ({ isMachinesZone, ...known }) => {
    const fields = jobFields({ ...known, timezone: "UTC", agents: new Set(), skills: new Set(), hasChannels: false });
    expect(fields.find(({ name }) => name === "timezone")).toMatchObject({ value: "UTC" });
    expect(fields.find(({ name }) => name === "timezone")?.isMachinesZone).toBe(isMachinesZone);
  },
);
