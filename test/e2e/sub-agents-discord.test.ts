import { expect, test } from "vitest";
import { isAssigned } from "../support/agent-lines.ts";
import { untilIdle } from "../support/bot.ts";
import { discordOffice } from "../support/discord-office.ts";
import { hold, type Part, text, toolUse } from "../support/model-script.ts";
import type { RecordedRequest } from "../support/model-server.ts";

const part = (name: string): Part => toolUse("agent", { description: `part ${name}`, prompt: `Do part ${name}.` });
const isPart = (request: RecordedRequest, name: string) => isAssigned(request, `Do part ${name}.`);
const results = (request: RecordedRequest) => request.toolResults.map((result) => result.text).join(" | ");

test("on Discord, two sub-agents show a line each under their parent's progress, and one answer tells of both", async () => {
  const [a, b] = [hold(), hold()];
  await using at = await discordOffice({ settings: { mode: "agi" } });
  at.model.script((request) => {
    if (isPart(request, "A")) return [a.part, text("A is 3.")];
    if (isPart(request, "B")) return [b.part, text("B is 4.")];
    return request.toolResults.length === 0 ? [part("A"), part("B")] : text(`Both: ${results(request)}`);
  });
  await at.bot.start();
  const talk = at.mention(at.channel("ops"), "both, please");
  const shows = (line: RegExp) =>
    at.until(`a message like ${line}`, () => talk.byBot().some((message) => line.test(JSON.stringify(message))));
  await Promise.all([a.reached, b.reached]);
  await shows(/⏳ worker: part A.*⏳ worker: part B/u);
  b.release();
  await shows(/⏳ worker: part A.*✓ worker: part B/u);
  a.release();
  await at.until("the answer", () => talk.answers().includes("Both: A is 3. | B is 4."));
  await untilIdle(at.bot);
  const answers = talk.answers().filter((answer) => answer.startsWith("Both:"));
  const assigned = talk.byBot().filter((message) => /→ \*\*worker\*\*: part [AB]/u.test(JSON.stringify(message)));
  expect(answers).toHaveLength(1);
  expect(assigned).toHaveLength(2);
  expect(at.model.requests).toHaveLength(4);
  expect(at.model.violations).toEqual([]);
});
