import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hostile } from "../../features/mcp/connected.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import { asks } from "../../support/talk/approval-talk.ts";
import { slackOffice } from "../../support/talk/slack-talk.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

test("a call that was allowed waits after a restart until its server is connected", async () => {
  const gate = path.join(tempDirectory(), "may-start");
  const { command, args = [] } = hostile();
  const line = [command, ...args].map((word) => `'${word}'`).join(" ");
  const slow = { command: "/bin/sh", args: ["-c", `until [ -e '${gate}' ]; do sleep 0.05; done; exec ${line}`] };
  await using at = await slackOffice({ settings: { mcpServers: { slow } } });
  writeFileSync(gate, "");
  at.model.script(({ body, toolResults }) => {
    if (toolResults.length > 0) return text(`It said: ${toolResults.map((result) => result.text).join()}`);
    return JSON.stringify(body).includes("- mcp__slow__* (")
      ? toolUse("mcp__slow__structured", {})
      : text("Not there yet.");
  });
  await at.bot.start();
  const channel = at.channel();
  let talk = at.talk({ text: "do it", channel });
  await at.until("the server's tools", async () => {
    if (!talk.answers().includes("Not there yet.")) return talk.live().some(({ buttons }) => buttons.length > 1);
    talk = at.talk({ text: "do it", channel });
    return false;
  });
  await asks(at, talk);
  rmSync(gate);
  await at.bot.kill("SIGKILL");
  await at.bot.start();
  talk.click("approve:y");
  const running = async () => (await at.bot.probe("metrics")).text.includes('deckhand_runs{state="running"} 1');
  await at.until("the run to go on", running);
  writeFileSync(gate, "");
  const answer = () => talk.answers().find((each) => each.startsWith("It said: "));
  await at.until("the answer", () => answer() !== undefined);
  expect(answer()).toContain("21");
});
