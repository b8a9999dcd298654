import { expect, test } from "vitest";
import { silent, text } from "../support/model/model-script.ts";
import { slackOffice } from "../support/talk/slack-talk.ts";

/** A stream counts as dead after 45 s without a byte. Milliseconds. */
const SILENCE_MS = 45_000;

test(
  "a model that goes silent is asked again, and the thread says so meanwhile",
  async () => {
    await using office = await slackOffice();
    await office.bot.start();
    office.model.script((_request, index) => (index === 0 ? silent() : text("Here I am.")));
    const talk = office.talk({ text: "are you there?", channel: office.channel() });
    const [first, second] = [await office.model.request(0), await office.model.request(1)];
    // The silence begins a moment before a busy server notes the first request.
    expect(second.arrivedAt - first.arrivedAt).toBeGreaterThan(SILENCE_MS * 0.9);
    expect(await talk.answered(1)).toBe("Here I am.");
    await talk.shows(/⚠ The model went silent; trying again \(1 of 2\)\./u);
    expect(office.model.requests).toHaveLength(2);
  },
  3 * SILENCE_MS,
);
