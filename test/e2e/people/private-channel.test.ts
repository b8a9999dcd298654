import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";

const office = useSlackOffice({ settings: { mode: "agi" } });
const NOTHING = "This button does nothing any more.";

test("a signed click of somebody outside shows nothing of a private channel's run", async () => {
  // Only a run with a tool, or one that takes its time, leaves a message with a button behind.
  const at = office(({ toolResults }) =>
    toolResults.length > 0 ? text("Three people leave.") : toolUse("glob", { pattern: "*" }),
  );
  const { slack } = at;
  const secret = at.channel();
  const members = new Set(["U0ANA", slack.workspace.botUserId]);
  slack.workspace.channels.set(secret, {
    id: secret,
    name: "hr",
    kind: "channel",
    isPrivate: true,
    members,
    gone: false,
  });
  const thread = at.talk({ text: "who leaves?", channel: secret });
  await thread.answered(1);
  await at.until("a folded message", () =>
    thread.seen().some(({ buttons }) => buttons.some(({ id }) => id.startsWith("details:"))),
  );

  thread.click("details:", "U0BOB");
  await at.until("an answer to bob", () => at.ephemeralsTo("U0BOB").length > 0);
  expect(at.ephemeralsTo("U0BOB")).toEqual([NOTHING]);
  thread.click("details:", "U0ANA");
  await at.until("the details", () => at.ephemeralsTo("U0ANA").some((each) => each.includes("tokens read")));
});
