import { expect, test } from "vitest";
import type { Receipt } from "../../../src/core/platform/inbound.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { openSlackHarness } from "../../support/slack/slack-harness.ts";
import { ASKS, FORM, WORDS, WRONG } from "../a-form.ts";

async function begun(mode: "socket" | "http" = "socket") {
  const harness = await openSlackHarness(mode);
  const platform = harness.adapter();
  const inbox = new Inbox();
  const stage: { answer: Receipt } = { answer: ASKS };
  await platform.start(async (event) => {
    await inbox.receive(event);
    return stage.answer;
  }, new AbortController().signal);
  const { people, workspace, faults } = harness.server;
  await people.command("/jobs", "edit Daily report").answered;
  await inbox.next();
  await expect.poll(() => workspace.forms.size).toBe(1);
  const form = () => [...workspace.forms.values()][0];
  return {
    stage,
    inbox,
    platform,
    people,
    workspace,
    faults,
    form,
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

test("a form shows its initial values, and a submission has the values by field name", async () => {
  await using scene = await begun();
  const { stage, inbox, people, form } = scene;
  expect(form()?.inputs.map(({ block_id, type, value }) => [block_id, type, value])).toEqual([
    ["name", "plain_text_input", "Daily report"],
    ["when", "plain_text_input", "0 9 * * *"],
    ["prompt", "plain_text_input", "Look around.\nSay it."],
    ["timezone", "plain_text_input", "Europe/Paris"],
    ["channel", "conversations_select", "C0001"],
    ["agent", "static_select", ""],
    ["mode", "static_select", "read"],
  ]);
  stage.answer = { type: "reply", message: { ...WORDS, markdown: "✓ Daily report" } };
  await people.submit({ when: "@daily", agent: "plan", channel: "C0002", name: "" }).answered;
  expect(await inbox.next()).toMatchObject({
    kind: "command",
    name: "jobs",
    args: "edit job_1",
    filled: {
      name: "",
      when: "@daily",
      prompt: "Look around.\nSay it.",
      timezone: "Europe/Paris",
      channel: "<#C0002>",
      agent: "plan",
      mode: "read",
    },
  });
  await scene.platform.stop();
  expect(scene.workspace.ephemerals.map(({ text }) => text)).toEqual(["✓ Daily report"]);
});

const TRANSPORTS = ["socket", "http"] as const;

test.each(TRANSPORTS)("a validation error appears below its field, and the form stays open, over %s", async (mode) => {
  await using scene = await begun(mode);
  const { stage, inbox, people, form } = scene;
  stage.answer = WRONG;
  await people.submit({ when: "noon" }).answered;
  await inbox.next();
  expect(form()?.errors).toEqual({ when: "There is no such time." });
  expect(form()?.inputs.find(({ block_id }) => block_id === "when")?.value).toBe("noon");
  stage.answer = { type: "accepted" };
  await people.submit({ when: "@daily" }).answered;
  expect(await inbox.next()).toMatchObject({ filled: { when: "@daily" } });
  expect(scene.workspace.ephemerals).toEqual([]);
});

test("a validation error of a hidden field is shown as a message", async () => {
  await using scene = await begun();
  scene.stage.answer = { ...WRONG, problems: { budget: "It must be more than 0." } };
  await scene.people.submit({}).answered;
  await scene.platform.stop();
  expect(scene.workspace.ephemerals.map(({ text }) => text)).toEqual(["✗ When: no such time."]);
});

test("a field whose value exceeds Slack's limit is omitted and unchanged", async () => {
  await using scene = await begun();
  const { stage, people, workspace } = scene;
  const long = {
    ...FORM,
    fields: FORM.fields.map((field) => (field.name === "prompt" ? { ...field, value: "x".repeat(3_001) } : field)),
  };
  workspace.forms.clear();
  stage.answer = { type: "reply", message: WORDS, form: long };
  await people.command("/jobs", "edit Daily report").answered;
  await expect
    .poll(() => scene.form()?.inputs.map(({ block_id }) => block_id))
    .toEqual(["name", "when", "timezone", "channel", "agent", "mode"]);
});
