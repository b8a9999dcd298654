import { expect, test } from "vitest";
import { startOfRun } from "../../../src/core/agent/run-state.ts";
import { WHOLE_HISTORY } from "../../../src/core/events/projection.ts";
import { forkedHistory } from "../../../src/core/history/fork.ts";
import { labelOf, type Message } from "../../../src/core/protocol/messages.ts";
import type { LlmProvider } from "../../../src/core/providers/provider.ts";
import { type Label, UNKNOWN_LABEL } from "../../../src/core/trust/label.ts";
import { type SimOffice, simOffice } from "../../support/simulation/sim-office.ts";
import { ANA } from "../../support/simulation/sim-people.ts";
import { said } from "../../support/trust/steps.ts";
import { ScriptedModel, tool } from "../agent/query-fixture.ts";

const page = tool("page", { brings: ({ path }) => ({ who: [`outside:${path}`], holds: ["public"] }) });
const look = tool("look");
const call = (id: string, name: string, path: string) => ({ calls: [{ id, name, input: { path } }] });

/** A model that reads a page, then a file, and then answers. */
function reading(): LlmProvider {
  return ScriptedModel.byTurn(call("c1", "page", "docs.test"), call("c2", "look", "a.txt"), { text: "Done." });
}

function officeWith(model: LlmProvider): Promise<SimOffice> {
  return simOffice({ model, tools: [page, look], config: { mode: "agi" }, said: [said("500s", ALERTS)] });
}

const ALERTS = { id: "slack:B1", name: "alerts", isBot: true };
const EVERYTHING: Label = {
  who: ["outside:alerts", "outside:docs.test", ANA.id],
  holds: ["public", "channel", "files"],
};

async function historyOf({ store }: SimOffice, thread = "1"): Promise<readonly Message[]> {
  const session = await store.sessions.byKey(`slack:T:C:${thread}`);
  return session === null ? [] : store.messages.list(session.id);
}

const labelsOf = (messages: readonly Message[]) => messages.map((message) => labelOf([message]));

async function uninterrupted(): Promise<readonly Label[]> {
  const office = await officeWith(reading());
  await office.say("what is this?", { by: ANA, thread: "1", opensThread: false });
  return labelsOf(await historyOf(office));
}

test("messages, tool results and thread context are labelled with their authors and contents", async () => {
  expect(await uninterrupted()).toEqual([
    { who: ["outside:alerts"], holds: ["channel"] },
    { who: [ANA.id], holds: ["channel"] },
    { who: [], holds: [] },
    { who: ["outside:docs.test"], holds: ["public"] },
    { who: [], holds: [] },
    { who: [], holds: ["files"] },
    { who: [], holds: [] },
  ]);
});

test("labels are the same after a kill at any point", async () => {
  const whole = await uninterrupted();
  const office = await officeWith(reading());
  let died = true;
  let deaths = 0;
  for (let steps = 1; died; steps += 1) {
    const thread = `${steps}`;
    await office.say("what is this?", { by: ANA, thread, opensThread: false, diesAfter: steps });
    died = await office.revive();
    deaths += died ? 1 : 0;
    const history = await historyOf(office, thread);
    expect(labelsOf(history), `killed after ${steps} steps`).toEqual(whole);
    expect(labelOf(history)).toEqual(EVERYTHING);
  }
  expect(deaths).toBeGreaterThan(10);
});

const FOREIGN: Label = { who: ["outside:docs.test"], holds: ["public"] };
const summary = { text: "What was said.", messages: 0, madeAt: 2 };
const start = { messages: [], lastMeasured: null, knownFiles: new Map<string, string>() };

test.each<[string, Label | null, Label]>([
  ["its own label", FOREIGN, FOREIGN],
  ["none, as before there were labels,", null, UNKNOWN_LABEL],
])("a request's label includes what a summary with %s replaces", (...[, label, carried]) => {
  const made = label === null ? summary : { ...summary, label };
  expect(startOfRun({ ...start, projection: { ...WHOLE_HISTORY, summary: made } }).label).toEqual(carried);
});

test("a fork inherits the label of the messages replaced by the summary", () => {
  const head: Message = { id: "m1", role: "user", content: [], label: FOREIGN, createdAt: 0 };
  const tail: Message = { id: "m2", role: "user", content: [], label: { who: [ANA.id], holds: [] }, createdAt: 0 };
  const made = { ...summary, messages: 1, label: FOREIGN };
  const { messages, projection } = forkedHistory([head, tail], { ...WHOLE_HISTORY, summary: made });
  expect(messages).toEqual([tail]);
  expect(startOfRun({ ...start, messages, projection }).label.who).toEqual(["outside:docs.test", ANA.id]);
});
