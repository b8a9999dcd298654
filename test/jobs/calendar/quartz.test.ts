import { expect, test } from "vitest";
import { readSchedule } from "../../../src/jobs/calendar/schedule.ts";

/**
 * The first two are from the documentation of AWS EventBridge, with the year last; the third is from Quartz's, with
 * seconds first.
 */
test.each(["0 9 * * ? *", "0 8 1 * ? *", "0 0 12 * * ?"])(
  "%s is refused: six fields with a ? could start with seconds or end with the year",
  (cron) => {
    const read = readSchedule({ cron, dueOnce: null, timezone: "UTC" });
    expect(read).toEqual({ type: "refused", reason: expect.stringContaining("Write five fields") });
  },
);
