import { z } from "zod";
import { field } from "./fields.ts";

export const tokens = z.int("must be a whole number").min(1, "must be at least 1");
export const dollars = z.number("must be a number").positive("must be more than 0");

/** Limits on spending, disk space and concurrent runs. */
export const limitFields = {
  budgets: field(
    z
      .strictObject({
        runUsd: field(dollars.exactOptional(), "US dollars of one run; `maxBudgetUsd` says the same.", 0.5),
        sessionUsd: field(dollars.exactOptional(), "US dollars of one session.", 5),
        userUsd: field(dollars.exactOptional(), "US dollars of one person in a day.", 10),
        channelUsd: field(dollars.exactOptional(), "US dollars of one channel in a day.", 20),
        jobUsd: field(
          dollars.exactOptional(),
          "US dollars of one occurrence of a job, for each of its attempts; a job's own `budget` only lowers it.",
          0.5,
        ),
        dayUsd: field(dollars.exactOptional(), "US dollars of everything in a day.", 50),
        runTokens: field(tokens.exactOptional(), "Tokens of one run.", 200_000),
        sessionTokens: field(tokens.exactOptional(), "Tokens of one session.", 2_000_000),
        userTokens: field(tokens.exactOptional(), "Tokens of one person in a day.", 5_000_000),
        channelTokens: field(tokens.exactOptional(), "Tokens of one channel in a day.", 10_000_000),
        jobTokens: field(
          tokens.exactOptional(),
          "Tokens of one occurrence of a job, for each of its attempts.",
          200_000,
        ),
        dayTokens: field(tokens.exactOptional(), "Tokens of everything in a day.", 20_000_000),
      })
      .prefault({}),
    "Spending limits. A model call may spend what all applicable limits leave; if that is too little, the run ends. Days are UTC days. Limits in tokens count read, cached and written tokens and apply to every model. Under a limit in dollars, a model without a known price is called only if a limit in tokens applies as well. A call that is stopped or breaks off costs what its provider has counted so far, plus an estimate of the rest; if the provider counts nothing, the whole call is estimated. If the process is killed during a call, the request is charged, but only under a limit.",
    { dayUsd: 50 },
  ),
  quotas: field(
    z
      .strictObject({
        rootMb: field(
          tokens.default(2_000),
          "Maximum size of a sandbox root in megabytes. In a directory that `channels` names, only what is added counts.",
          2_000,
        ),
        userMb: field(
          tokens.default(1_000),
          "Maximum that one person's requests add to files in a day, in megabytes.",
          1_000,
        ),
        channelMb: field(
          tokens.default(2_000),
          "Maximum that one channel's requests add to files in a day, in megabytes.",
          2_000,
        ),
        userRuns: field(tokens.exactOptional(), "Maximum number of one person's runs at work at once.", 8),
        channelRuns: field(tokens.exactOptional(), "Maximum number of one channel's runs at work at once.", 16),
      })
      .prefault({}),
    "Shares of the disk and of the places for running work. Files beyond a share are refused, with the figure for the model; runs wait for a place. File sizes count in blocks of 4096 bytes. Removing what was added on the same day frees its share. Copies kept for /undo have another share of the same size as userMb. Days are UTC days.",
    { rootMb: 10_000 },
  ),
};
