import { expect, test } from "vitest";
import { Admission } from "../../../src/core/embedded-engine/admission.ts";
import type { Applicant } from "../../../src/core/store/sessions.ts";

/** `ana ops 3`: Ana's third thread in ops. */
function applicant(sessionId: string): Applicant {
  const [personId = "", channelKey = ""] = sessionId.split(" ");
  return { sessionId, personId, channelKey };
}

function many(who: string, count: number, channel: (index: number) => string = () => "ops"): string[] {
  return Array.from({ length: count }, (_, index) => `${who} ${channel(index)} ${index + 1}`);
}

function admit(admission: Admission): string[] {
  const began: string[] = [];
  for (let next = admission.next(); next !== undefined; next = admission.next()) began.push(next);
  return began;
}

function queue(admission: Admission, sessions: readonly string[]): string[] {
  return sessions.flatMap((each) => {
    admission.enqueue(applicant(each));
    return admit(admission);
  });
}

test.each([
  { limit: 32, ownMost: 24 },
  { limit: 4, ownMost: 3 },
  { limit: 3, ownMost: 3 },
  { limit: 1, ownMost: 1 },
])("of $limit slots one person uses at most $ownMost, in however many channels", ({ limit, ownMost }) => {
  const admission = new Admission(limit);
  expect(
    queue(
      admission,
      many("ana", 40, (index) => `c${index}`),
    ),
  ).toHaveLength(ownMost);
  expect(admission.waiting()).toHaveLength(40 - ownMost);
  expect(admission.isFullFor(applicant("ana other 1"))).toBe(true);
  expect(admission.isFullFor(applicant("ben ops 1"))).toBe(ownMost === limit);
  expect(queue(admission, ["ben ops 1"])).toEqual(ownMost === limit ? [] : ["ben ops 1"]);
});

test.each([
  { limit: 32, ownMost: 28 },
  { limit: 8, ownMost: 7 },
  { limit: 4, ownMost: 4 },
])("of $limit slots one channel uses at most $ownMost, whoever writes there", ({ limit, ownMost }) => {
  const admission = new Admission(limit);
  const all = Array.from({ length: 40 }, (_, index) => `p${index} ops 1`);
  expect(queue(admission, all)).toHaveLength(ownMost);
  expect(admission.isFullFor(applicant("ana ops 1"))).toBe(true);
  expect(admission.isFullFor(applicant("ana dev 1"))).toBe(ownMost === limit);
  expect(queue(admission, ["ana dev 1"])).toHaveLength(ownMost === limit ? 0 : 1);
  admission.leave("p0 ops 1");
  expect(admit(admission), "what is given back is had by the next").toHaveLength(1);
});

test("the maximum number of slots per person and channel can be configured", () => {
  const admission = new Admission(8, { userRuns: 1, channelRuns: 2 });
  expect(queue(admission, ["ana ops 1", "ana dev 1", "ben ops 1", "eve ops 1", "eve dev 1"])).toEqual([
    "ana ops 1",
    "ben ops 1",
    "eve dev 1",
  ]);
});

test("a newcomer gets the next slot ahead of another person's many waiting threads", () => {
  const admission = new Admission(1);
  queue(
    admission,
    many("ana", 40, (index) => `c${index}`),
  );
  queue(admission, ["ben c7 1"]);
  expect(admission.waiting().indexOf("ben c7 1")).toBeLessThanOrEqual(1);
  const order: string[] = [];
  const foreseen = admission.waiting();
  for (let running = "ana c0 1"; order.length < foreseen.length; running = order.at(-1) ?? "") {
    admission.leave(running);
    order.push(...admit(admission));
  }
  expect(order, "they run as was foretold").toEqual(foreseen);
});

test("people alternate within a channel, and channels alternate", () => {
  const admission = new Admission(1);
  queue(admission, ["zoe ops 1", "ana ops 1", "ana ops 2", "ana ops 3", "ben ops 1", "eve ops 1", "kim dev 1"]);
  expect(admission.waiting()).toEqual(["ana ops 1", "kim dev 1", "ben ops 1", "eve ops 1", "ana ops 2", "ana ops 3"]);
});

test("a person's threads in a quiet channel do not wait for the same person's threads in a busy one", () => {
  const admission = new Admission(1);
  queue(admission, ["ana ops 1", "ana ops 2", "ana ops 3", "ana dev 1"]);
  expect(admission.waiting()).toEqual(["ana ops 2", "ana dev 1", "ana ops 3"]);
});

test("a steady stream of newcomers does not starve a waiting person", () => {
  const admission = new Admission(1);
  queue(admission, ["ana ops 1", "ana ops 2", "ana ops 3"]);
  const order: string[] = ["ana ops 1"];
  for (let index = 0; index < 10 && !order.includes("ana ops 3"); index += 1) {
    queue(admission, [`new${index} c${index} 1`, `other${index} d${index} 1`]);
    admission.leave(order.at(-1) ?? "");
    order.push(...admit(admission));
  }
  expect(order).toContain("ana ops 3");
});

test("a run that is being stopped is admitted at once, beyond its person's limit", () => {
  const admission = new Admission(1);
  queue(admission, ["ana ops 1", "ana ops 2"]);
  expect(admission.promote("ana ops 2")).toBe(true);
  expect(admission.promote("ana ops 2")).toBe(false);
});

test("in a long queue the next hundred alternate fairly, and the rest keep their order of arrival", () => {
  const admission = new Admission(1);
  const [busy, others] = [many("ana", 150), Array.from({ length: 120 }, (_, index) => `p${index} dev 1`)];
  const waiting = [...busy, ...others];
  queue(admission, ["eve first 1", ...waiting]);
  const order = admission.waiting();
  expect(order.toSorted()).toEqual(waiting.toSorted());
  expect(order.slice(0, 100)).toEqual(["ana ops 1", ...others.slice(0, 99)]);
  expect(order.slice(100)).toEqual([...busy.slice(1), ...others.slice(99)]);
});
