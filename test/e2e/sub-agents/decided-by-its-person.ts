import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { answered, isPart, part, results } from "../../support/talk/sub-agent-talk.ts";

/**
 * Checks, in a channel in which tools need approval, that a sub-agent's card and question name the sub-agent, and that
 * the person it works for decides and answers.
 */
export async function decidedByItsPerson(at: SlackOffice, channel: string): Promise<void> {
  at.model.script((request) => {
    if (isPart(request, "A")) {
      if (request.toolResults.length === 0) return toolUse("ask_user_question", { question: "Which port?" });
      if (results(request).includes("ana")) return toolUse("write", { path: "port.txt", content: "9090\n" });
      return text("Written.");
    }
    return request.toolResults.length === 0 ? part("A") : text(`So: ${results(request)}`);
  });
  const talk = at.talk({ text: "do it", channel });
  await at.until("the question", () => talk.seen().some(({ text: said }) => said.includes("Which port?")));
  expect(talk.seen().find(({ text: said }) => said.includes("Which port?"))?.text).toContain("**worker** (sub-agent)");
  talk.say("9090");
  await at.until("the card", () => talk.live().some(({ text: said }) => said.includes("port.txt")));
  expect(talk.live().find(({ text: said }) => said.includes("port.txt"))?.text).toContain(
    "asked by @ana, for sub-agent worker",
  );
  talk.click("approve:y");
  await answered(at, talk, "So: Written.");
  const file = path.join(at.bot.sandboxRoot(`slack-${channel}`), "port.txt");
  expect(existsSync(file) && readFileSync(file, "utf8")).toBe("9090\n");
}
