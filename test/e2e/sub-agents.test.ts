import { expect, test } from "vitest";
import { text, toolUse } from "../support/model-script.ts";
import type { RecordedRequest, Script } from "../support/model-server.ts";
import { conversationOf, type SlackOffice, slackOffice } from "../support/slack-talk.ts";

/** True for a request of the sub-agent whose assignment holds these words; the parent's hold them, too, as its call. */
const isChild = (request: RecordedRequest, words: string) => firstWords(request).includes(words);

/** The first user message: what somebody asked, or what a sub-agent was assigned. */
function firstWords({ body }: RecordedRequest): string {
  const messages: unknown = typeof body === "object" && body !== null && "messages" in body ? body.messages : [];
  return JSON.stringify(Array.isArray(messages) ? messages[0] : "");
}

async function office(script: Script, settings: object = { mode: "agi" }): Promise<SlackOffice> {
  const opened = await slackOffice({ settings });
  opened.model.script(script);
  await opened.bot.start();
  return opened;
}

test("a sub-agent works in a history of its own, and its parent answers with its report", async () => {
  await using at = await office((request) => {
    if (isChild(request, "Count the ports")) return text("There are 3 ports.");
    if (request.toolResults.length === 0) {
      return toolUse("agent", { description: "count ports", prompt: "Count the ports.", agent_type: "explorer" });
    }
    return text(`It says: ${request.toolResults.map((result) => result.text).join()}`);
  });
  const talk = at.talk({ text: "how many ports?", channel: at.channel() });
  await at.until("the answer", () => talk.answers().some((answer) => answer.startsWith("It says")));
  expect(talk.answers().at(-1)).toBe("It says: There are 3 ports.");
  expect(at.model.requests).toHaveLength(3);
  const [, child] = at.model.requests;
  expect(conversationOf(child?.body)).not.toContain("how many ports?");
  expect(at.model.violations).toEqual([]);
});
