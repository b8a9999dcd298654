import { expect, test } from "vitest";
import { z } from "zod";
import { redactedThinking, text, thinking, toolUse } from "../../support/model/model-script.ts";
import { type SlackOffice, slackOffice, type Talk } from "../../support/talk/slack-talk.ts";

const THOUGHTS = /walrus|opaque-heron/u;

/** Everything that people can have seen: messages, what only they were shown, and files. */
function shownIn({ slack: { workspace } }: SlackOffice, talk: Talk): string {
  const files = [...workspace.files.values()].map(({ data }) => new TextDecoder().decode(data));
  return JSON.stringify([talk.seen().map(({ text: shown }) => shown), workspace.ephemerals, files]);
}

test("thoughts go back to their model, sealed as they came, and are shown nowhere", async () => {
  await using office = await slackOffice({ settings: { mode: "agi", effortLevel: "high" } });
  office.model.script((_request, index) =>
    index === 0
      ? [thinking("the walrus"), redactedThinking("opaque-heron"), toolUse("glob", { pattern: "*" })]
      : [thinking("the second walrus"), text("Nothing there.")],
  );
  await office.bot.start();
  const talk = office.talk({ text: "what files are there?", channel: office.channel() });
  expect(await talk.answered(1)).toBe("Nothing there.");
  talk.mention("and now?");
  await talk.answered(2);
  const [first, second, third] = office.model.requests.map(({ body }) => JSON.stringify(body));
  expect(first).not.toMatch(THOUGHTS);
  expect(second).toContain('"thinking":"the walrus","signature":"signature-of-the-thought"');
  expect(second).toContain('"data":"opaque-heron"');
  expect(third).toContain("the second walrus");

  await office.until("the fold", () =>
    talk.live().some(({ buttons }) => buttons.some(({ id }) => id.startsWith("details:"))),
  );
  talk.click("details:");
  await office.until("the details", () => office.ephemeralsTo("U0ANA").some((told) => told.includes("glob")));
  talk.mention("/export");
  // The head that the export gives to what the model says.
  await office.until("the export", () => shownIn(office, talk).includes("## agent ·"));
  expect(shownIn(office, talk)).not.toMatch(THOUGHTS);
  expect(office.model.violations).toEqual([]);
});

const bodySchema = z.object({
  system: z.array(z.object({ text: z.string(), cache_control: z.unknown().optional() })),
  output_config: z.object({ effort: z.string() }),
  thinking: z.object({ type: z.string() }),
});

test("effort, style and added instructions reach the model, the words above the cache boundary", async () => {
  const settings = {
    effortLevel: "max",
    outputStyle: "formal",
    outputStylePrompt: "Answer in verse.",
    appendSystemPrompt: "The port is always 9090.",
  };
  await using office = await slackOffice({ settings });
  office.model.script(() => text("Aye."));
  await office.bot.start();
  await office.talk({ text: "hello", channel: office.channel() }).answered(1);
  const { system, output_config, thinking: asked } = bodySchema.parse(office.model.requests[0]?.body);
  expect([output_config, asked]).toEqual([{ effort: "max" }, { type: "adaptive" }]);
  const boundary = system.findIndex((part) => part.cache_control !== undefined);
  const above = system.slice(0, boundary + 1).map((part) => part.text);
  expect(above.join("")).toContain("Answer in verse.");
  expect(above.join("")).toContain("The port is always 9090.");
  expect(office.model.violations).toEqual([]);
});
