import { z } from "zod";
import { field } from "./fields.ts";

export const tokens = z.int("must be a whole number").min(1, "must be at least 1");
export const dollars = z.number("must be a number").positive("must be more than 0");

/** Limits on spending, disk space and concurrent runs. */
export const limitFields = {
  budgets: field(
    z
      .strictObject({
        runUsd: field(dollars.exactOptional(), "US dollars per run; the same as `maxBudgetUsd`.", 0.5),
        sessionUsd: field(dollars.exactOptional(), "US dollars per session.", 5),
        userUsd: field(dollars.exactOptional(), "US dollars per person per day.", 10),
        channelUsd: field(dollars.exactOptional(), "US dollars per channel per day.", 20),
        jobUsd: field(
          dollars.exactOptional(),
          "US dollars per occurrence of a job, for each of its attempts; a job's own `budget` can only lower it.",
          0.5,
        ),
        dayUsd: field(dollars.exactOptional(), "US dollars per day in total.", 50),
        runTokens: field(tokens.exactOptional(), "Tokens per run.", 200_000),
        sessionTokens: field(tokens.exactOptional(), "Tokens per session.", 2_000_000),
        userTokens: field(tokens.exactOptional(), "Tokens per person per day.", 5_000_000),
        channelTokens: field(tokens.exactOptional(), "Tokens per channel per day.", 10_000_000),
        jobTokens: field(tokens.exactOptional(), "Tokens per occurrence of a job, for each of its attempts.", 200_000),
        dayTokens: field(tokens.exactOptional(), "Tokens per day in total.", 20_000_000),
      })
      .prefault({}),
    "Spending limits. A model call may spend what remains under all applicable limits; if that is too little, the run ends. Days are UTC days. Token limits count read, cached and written tokens and apply to every model. Under a dollar limit, a model without a known price is called only if a token limit applies as well. A call that is stopped or interrupted costs what its provider has counted so far, plus an estimate of the rest; if the provider counts nothing, the whole call is estimated. If the process is killed during a call, the request is charged, but only under a limit.",
    { dayUsd: 50 },
  ),
  quotas: field(
    z
      .strictObject({
        rootMb: field(
          tokens.default(2_000),
          "Maximum size of a sandbox root in megabytes. In a directory set under `channels`, only added data counts.",
          2_000,
        ),
        userMb: field(
          tokens.default(1_000),
          "Maximum amount of data that one person's requests may add to files per day, in megabytes.",
          1_000,
        ),
        channelMb: field(
          tokens.default(2_000),
          "Maximum amount of data that one channel's requests may add to files per day, in megabytes.",
          2_000,
        ),
        userRuns: field(tokens.exactOptional(), "Maximum number of concurrent runs per person.", 8),
        channelRuns: field(tokens.exactOptional(), "Maximum number of concurrent runs per channel.", 16),
      })
      .prefault({}),
    "Quotas for disk space and concurrent runs. Files that would exceed a quota are refused, and the model is told the figure; runs wait until a slot is free. File sizes are counted in blocks of 4096 bytes. Removing what was added on the same day frees its part of the quota. Copies kept for /undo count against a separate quota of the same size as userMb. Days are UTC days.",
    { rootMb: 10_000 },
  ),
};
