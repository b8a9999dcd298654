import { expect, test } from "vitest";
import type { Receipt } from "../../../src/core/platform/inbound.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { openHarbour } from "../../support/discord/harness.ts";
import { ASKS, WRONG } from "../a-form.ts";

async function begun() {
  const harbour = await openHarbour();
  const adapter = harbour.adapter();
  const inbox = new Inbox();
  const stage: { answer: Receipt } = { answer: ASKS };
  await adapter.start(async (event) => {
    await inbox.receive(event);
    return stage.answer;
  }, new AbortController().signal);
  const { people } = harbour.server;
  const at = { channel: harbour.general, user: harbour.ana };
  const asked = people.command(at, "jobs", [{ type: 1, name: "edit", options: [] }]);
  await asked.answered;
  await inbox.next();
  return { stage, inbox, people, at, asked, [Symbol.asyncDispose]: () => harbour[Symbol.asyncDispose]() };
}

test("fields beyond the dialog's maximum are entered line by line in the last field", async () => {
  await using scene = await begun();
  const { stage, inbox, people, at, asked } = scene;
  const inputs = asked.modal?.components.flatMap((row) => row.components) ?? [];
  expect(inputs.map(({ custom_id, style, value }) => [custom_id, style, value])).toEqual([
    ["name", 1, "Daily report"],
    ["when", 1, "0 9 * * *"],
    ["prompt", 2, "Look around.\nSay it."],
    ["timezone", 1, "Europe/Paris"],
    ["more", 2, "channel: C0001\nmode: read"],
  ]);
  expect(inputs.at(-1)?.placeholder).toBe("channel, agent, mode; e.g. agent: build");
  stage.answer = { type: "accepted" };
  people.submit(at, asked, { when: "@daily", more: "Agent: plan\n\nmode:write\nnonsense" });
  expect(await inbox.next()).toMatchObject({
    kind: "command",
    name: "jobs",
    args: "edit job_1",
    filled: {
      name: "Daily report",
      when: "@daily",
      prompt: "Look around.\nSay it.",
      timezone: "Europe/Paris",
      agent: "plan",
      mode: "write",
      nonsense: "",
    },
  });
});

test("after invalid input a button reopens the dialog with the entered values", async () => {
  await using scene = await begun();
  const { stage, inbox, people, at, asked } = scene;
  stage.answer = WRONG;
  const sent = people.submit(at, asked, { when: "noon" });
  await sent.answered;
  await inbox.next();
  expect(sent.shown.map(({ content }) => content)).toEqual(["✗ When: no such time."]);
  const again = people.clickShown(at, sent, `form-again:${sent.id}`);
  await again.answered;
  const inputs = again.modal?.components.flatMap((row) => row.components);
  expect(inputs?.find(({ custom_id }) => custom_id === "when")?.value).toBe("noon");
  stage.answer = { type: "accepted" };
  people.submit(at, again, { when: "@daily" });
  expect(await inbox.next()).toMatchObject({ args: "edit job_1", filled: { when: "@daily" } });
});
