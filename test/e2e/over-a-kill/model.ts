import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import {
  cutOff,
  hold,
  overloaded,
  type Reply,
  stop,
  text,
  thinking,
  toolUse,
} from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { rootOf } from "../../support/talk/approval-talk.ts";
import { FALLING, type Office, type Parked } from "./parked.ts";

/** An answer in pieces, each cut off by the output limit; the kill hits one of them. */
export async function cutAnswer(at: Office): Promise<Parked> {
  const gate = hold();
  const cut = (words: string): Reply => [text(words), stop("max_tokens")];
  const pieces = [cut("one, tw"), cut("o, thr"), cutOff(gate), cut("ee, fo"), text("ur.")];
  const requests = at.play("count to four", (_request, index) => pieces[index] ?? text("too much"));
  const talk = at.talk({ text: "count to four", channel: at.channel() });
  await gate.reached;
  const isResuming = /^Output token limit hit\. Resume directly — no apology, no recap of what you were doing\./;
  return {
    goOn: async () => void (await talk.answered(1)),
    over() {
      expect(talk.answers()).toEqual(["one, two, three, four."]);
      expect(requests()).toHaveLength(5);
      const resumed = requests().slice(1);
      expect(resumed.map(({ lastUserText }) => isResuming.test(lastUserText))).not.toContain(false);
    },
  };
}

const modelSchema = z.object({ model: z.string() });

export async function takenOver(at: Office): Promise<Parked> {
  const gate = hold();
  const isFirst = ({ body }: RecordedRequest) => modelSchema.parse(body).model.includes("sonnet");
  let isCutOff = false;
  const requests = at.play("what does a.txt say?", (request, index) => {
    if (index === 0) return [thinking("I should read it."), toolUse("read", { path: "a.txt" })];
    if (isFirst(request)) return overloaded();
    return isCutOff ? text("It says alpha.") : cutOff(gate);
  });
  writeFileSync(path.join(rootOf(at, FALLING), "a.txt"), "alpha");
  const talk = at.talk({ text: "what does a.txt say?", channel: FALLING });
  await gate.reached;
  await talk.shows(/going on with claude-haiku-5-5/u);
  return {
    dead: () => {
      isCutOff = true;
    },
    async goOn() {
      await talk.answered(1);
      await talk.shows(/going on with claude-haiku-5-5\.\n✓ 2 turns · 1 tool/u);
    },
    over() {
      expect(talk.answers()).toEqual(["It says alpha."]);
      expect(requests().map(isFirst)).toEqual([true, true, true, true, false, false]);
      expect(JSON.stringify(requests()[1]?.body)).toContain("I should read it.");
      expect(JSON.stringify(requests().at(-1)?.body)).not.toContain("I should read it.");
    },
  };
}
