import { expect, test } from "vitest";
import { hold, text } from "../support/model/model-script.ts";
import { useSlackOffice } from "../support/talk/shared-office.ts";

const PLACES = 8;
const THREADS = 20;

const office = useSlackOffice({ settings: { maxConcurrentRuns: PLACES } });

test("one person's twenty slow threads keep nobody else waiting", async () => {
  const gate = hold();
  const at = office(({ lastUserText }) =>
    lastUserText.includes("slow") ? [gate.part, text("Slow.")] : text("Quick."),
  );
  const slow = Array.from({ length: THREADS }, () => at.talk({ text: "the slow one", channel: at.channel() }));
  await Promise.all(slow.map(({ said }) => said.answered));
  await slow.at(-1)?.shows(/queued, \d+ before you/u);
  const beside = at.talk({ text: "the quick one", channel: at.channel(), user: "U0BOB" });
  expect(await beside.answered(1)).toBe("Quick.");
  expect(at.requestsAbout("the slow one").length).toBeLessThan(PLACES);
  gate.release();
  await Promise.all(slow.map((talk) => talk.answered(1)));
});
