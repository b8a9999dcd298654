import { expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import type { InboundDeletion, InboundMessage } from "../../../src/core/platform/inbound.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { aborted } from "../../contracts/engine-recorder.ts";
import { intakeOptions, mention } from "./intake-fixture.ts";

function deletion(messages: readonly InboundMessage[], more: { isAddressed?: true } = {}): InboundDeletion {
  return { kind: "deletion", messages: messages.map(({ key, at }) => ({ key, at, ...more })) };
}

/** Two processes that receive messages; a run takes new ones at each `step`, until it is stopped or may `end`. */
async function stage() {
  const end = Promise.withResolvers<void>();
  let steps = Promise.withResolvers<void>();
  let taken: readonly string[] = [];
  const { options, recorder, session } = await intakeOptions(async (wake, context) => {
    for (let turn = 1; ; turn += 1) {
      const step = steps.promise.then(() => "step");
      if ((await Promise.race([end.promise, step, aborted(context)])) !== "step") return;
      const events = await context.takeInbox(`turn:${turn}`);
      taken = [...wake.pending, ...events].map(({ key }) => key);
    }
  });
  const step = async () => {
    const before = taken;
    steps.resolve();
    steps = Promise.withResolvers();
    await expect.poll(() => taken !== before).toBe(true);
  };
  const waiting = async () => {
    const { id } = (await session()) ?? {};
    const events = await options.store.inbox.waiting(id ?? "", options.runtime.clock.now());
    return events.map(({ key, body }) => (body.kind === "note" ? body.text : key));
  };
  const stopped = () => [...recorder.reasons.values()].map((why) => (why instanceof CancelSignal ? why.cause : why));
  const processes = [createIntake(options), createIntake(options)] as const;
  return { options, recorder, waiting, stopped, step, end: end.resolve, processes };
}

const BY_DELETION = [{ by: "deletion" }];

test("deleting a request stops the run that works only on it, once, and no ended run", async () => {
  const { recorder, stopped, waiting, processes } = await stage();
  const [receive, other] = processes;
  const asked = mention("deploy");
  await receive(asked);
  await recorder.begun(1);
  await Promise.all([receive(deletion([asked])), other(deletion([asked]))]);
  await recorder.ended(1);
  expect(stopped()).toEqual(BY_DELETION);
  expect(await other(deletion([asked]))).toEqual({ type: "accepted" });
  expect(await waiting()).toEqual([]);
});

test("an ended run gets no note about a request deleted later", async () => {
  const { recorder, stopped, waiting, end, processes } = await stage();
  const asked = mention("deploy");
  await processes[0](asked);
  end();
  await recorder.ended(1);
  await processes[1](deletion([asked]));
  expect([stopped(), await waiting()]).toEqual([[], []]);
});

test("a pending request is dropped with its edits, and the active run continues", async () => {
  const { recorder, stopped, waiting, end, processes } = await stage();
  const [receive, other] = processes;
  await receive(mention("deploy"));
  const added = mention("and tell ben");
  await receive(added);
  await receive({ ...added, text: "and tell eve", edited: "now", at: added.at + 1 });
  expect(await waiting()).toHaveLength(2);
  await other(deletion([added]));
  expect(await waiting()).toEqual([]);
  // An edit that is delivered after the deletion has no effect.
  await other({ ...added, text: "and tell all", edited: "now", at: added.at + 2 });
  expect(await waiting()).toEqual([]);
  end();
  await recorder.ended(1);
  expect([recorder.keys().length, stopped()]).toEqual([1, []]);
});

test.each([[["joined", "began"]], [["began", "joined"]]] as const)(
  "of a run's two requests, deleting the first adds a note, deleting the second stops the run: %j",
  async (order) => {
    const { recorder, stopped, waiting, step, processes } = await stage();
    const [receive, other] = processes;
    const requests = { began: mention("deploy"), joined: mention("and tell ben") };
    await receive(requests.began);
    await receive(requests.joined);
    await step();
    const [first, second] = [requests[order[0]], requests[order[1]]];
    await Promise.all([receive(deletion([first])), other(deletion([first]))]);
    expect(await waiting()).toEqual([expect.stringContaining(`@ana was deleted: “${first.text}”`)]);
    await step();
    await other(deletion([first]));
    expect([await waiting(), stopped()]).toEqual([[], []]);
    await receive(deletion([second]));
    await recorder.ended(1);
    expect([stopped(), await waiting()]).toEqual([BY_DELETION, []]);
  },
);

test.each(["at once", "each by itself"])("a run whose requests are all deleted %s is stopped", async (how) => {
  const { recorder, stopped, step, processes } = await stage();
  const requests = [mention("deploy"), mention("and tell ben"), mention("and eve")];
  for (const request of requests) await processes[0](request);
  await step();
  const deletions = how === "at once" ? [deletion(requests)] : requests.map((request) => deletion([request]));
  await Promise.all(deletions.map((each, index) => processes[index % 2 === 0 ? 0 : 1](each)));
  await recorder.ended(1);
  expect(stopped()).toEqual(BY_DELETION);
});

test("deletions of old and of unknown messages are ignored", async () => {
  const { options, recorder, stopped, processes } = await stage();
  const [receive] = processes;
  const old = mention("deploy", { at: options.runtime.clock.now() - 25 * 60 * 60_000 });
  await receive(old);
  await recorder.begun(1);
  for (const message of [old, mention("never heard")])
    expect(await receive(deletion([message]))).toEqual({ type: "ignored" });
  expect([recorder.begunKeys(), stopped()]).toEqual([[old.key], []]);
});

test("a deleted message to others is dropped if no run has read it, without a note", async () => {
  const { stopped, waiting, step, processes } = await stage();
  const [receive, other] = processes;
  const remark = (text: string) => mention(text, { addressed: "other" });
  const [read, unread] = [remark("lunch?"), remark("the password is heron")];
  await receive(mention("deploy"));
  await receive(read);
  await step();
  await receive(unread);
  await other(deletion([read, unread]));
  expect([await waiting(), stopped()]).toEqual([[], []]);
});

test("a request delivered after its deletion starts no run, in any process", async () => {
  const { options, recorder, processes } = await stage();
  const [receive, other] = processes;
  const at = options.runtime.clock.now() - 5_000;
  const [here, there, next] = [mention("one", { at }), mention("two", { at }), mention("three", { at })];
  await receive(deletion([here]));
  expect(await receive(here)).toEqual({ type: "ignored" });
  await receive(deletion([there], { isAddressed: true }));
  expect(await other(there)).toEqual({ type: "duplicate" });
  expect(await other(next)).toEqual({ type: "accepted" });
  await recorder.begun(1);
  expect(recorder.begunKeys()).toEqual([next.key]);
});

test("deleting a request that is being stored takes effect once it is stored", async () => {
  const { options, recorder, stopped, processes } = await stage();
  const asked = mention("deploy");
  await Promise.all([processes[0](asked), processes[0](deletion([asked]))]);
  const sessionId = (await options.store.inbox.byKey(asked.key))?.sessionId ?? "";
  await expect.poll(() => options.store.runs.open(sessionId)).toBeNull();
  await expect.poll(() => stopped().length).toBe(recorder.wakes.length);
  expect(await processes[0](asked)).toEqual({ type: "ignored" });
});
