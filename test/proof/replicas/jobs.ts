import { until } from "../../support/program/bot.ts";
import type { Shown } from "../../support/replicas/place.ts";
import { answerTo } from "../../support/replicas/script.ts";
import { slackChannel } from "../../support/replicas/slack-place.ts";
import type { Town } from "../../support/replicas/town.ts";

export const markOfJob = (number: number) => `j${number}.1`;

/** Adds a job that is due in a second, and resolves once its report is posted. */
export async function scheduled({ slack, places }: Town, number: number, limit: AbortSignal): Promise<void> {
  const mark = markOfJob(number);
  const line = `add --name "Job ${mark}" --at "in 1 second" --prompt "This is ${mark}."`;
  await slack.people.command("/jobs", line, { channel: slackChannel(number) }).answered;
  const isReport = ({ text }: Shown) => text.includes(answerTo(mark));
  await until(async () => (await places.slack.all()).some(isReport), { limit, what: () => `the report of ${mark}` });
}
