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
    "Spending limits. Each model call is held to what all that apply leave for it, and a run ends when that is too little. A day is one of UTC. A model whose price is unknown is not called under a limit in dollars, unless one in tokens stands beside it; limits in tokens (read, cached and written ones alike) hold for every model. A call that is stopped or breaks off is charged what its provider has counted by then, and an estimate of the rest; a provider that counts nothing has its calls estimated. Of a call that a killed process leaves, the request is charged; without any limit, such a call is not.",
    { dayUsd: 50 },
  ),
  quotas: field(
    z
      .strictObject({
        rootMb: field(
          tokens.default(2_000),
          "Megabytes that a sandbox root may hold; of a directory that `channels` names, what comes to it.",
          2_000,
        ),
        userMb: field(tokens.default(1_000), "Megabytes that one person's requests may add to files in a day.", 1_000),
        channelMb: field(
          tokens.default(2_000),
          "Megabytes that one channel's requests may add to files in a day.",
          2_000,
        ),
        userRuns: field(tokens.exactOptional(), "Runs of one person at work at once.", 8),
        channelRuns: field(tokens.exactOptional(), "Runs of one channel at work at once.", 16),
      })
      .prefault({}),
    "Shares of the disk and of the places at which runs are at work. What does not fit is refused, and the model told the figure; runs wait for a place. Files count as file systems give room, by 4096 bytes; what a day's requests remove of what they added is theirs again, and what is kept for /undo has as much again. A day is one of UTC.",
    { rootMb: 10_000 },
  ),
};
