import { expect, test } from "vitest";
import type { Script } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { playEach } from "../../support/talk/agent-lines.ts";
import { slackOffice } from "../../support/talk/slack-talk.ts";
import { cutAnswer, takenOver } from "./model.ts";
import { asking, type Office, type Parked, SETTINGS } from "./parked.ts";
import {
  alwaysAllowed,
  asksWhichPort,
  calledSkill,
  clickedOnce,
  continued,
  deleted,
  pauses,
  skill,
  twentyCards,
} from "./people.ts";
import { parentHasEnded, parentWaits, stopped, twoInBackground } from "./sub-agents.ts";

/** Conversations that one SIGKILL hits at different points, and that continue as if it had not happened. */

/** The tests park, continue and check the conversations in this order. */
const POINTS: Readonly<Record<string, (at: Office) => Promise<Parked>>> = {
  "a pause that says when it ends ends by itself": pauses,
  "a question stays, whose click counts once": asksWhichPort("by click", (talk) => talk.click("answer:1")),
  "a question stays, whose answer in words counts once": asksWhichPort("by reply", (talk) => talk.say("9090")),
  "a skill's run goes on by its instructions and its tools, and answers once": skill,
  "a skill that the model called narrows its run, in whatever words": calledSkill("look around", "reworded"),
  "a skill that the model called under an earlier version narrows its run": calledSkill("look as before", "earlier"),
  "a click on an ended run that comes just before is gone on with once": continued,
  "an answer cut off three times is one reply": cutAnswer,
  "the model that has taken over goes on without the first one's thoughts": takenOver,
  "while a sub-agent works, its parent attaches to the same one and shows it again": parentWaits,
  "while two work in the background and their parent waits, both go on and are merged": twoInBackground,
  "after the parent's run has ended, the sub-agent goes on and its end wakes the parent once": parentHasEnded,
  "just after a stop, neither parent nor sub-agent goes on": stopped,
  "what is allowed for a session held in it for that file, and always holds in the channel": alwaysAllowed,
  "a run whose request is deleted just before is stopped": deleted("deleted before", "before"),
  "a run whose request is deleted while nothing runs is stopped": deleted("deleted meanwhile", "dead"),
  "a card's click just before counts once": clickedOnce("click before", true),
  "a card's click just after counts once": clickedOnce("click after", false),
  "of twenty cards that are decided at once, the calls run at once, however few edits Slack takes": twentyCards,
};

const over = useShared(parkedAndKilled, async ({ office }) => {
  expect(office.model.violations).toEqual([]);
  await office[Symbol.asyncDispose]();
});

async function parkedAndKilled(): Promise<{ office: Office; parked: ReadonlyMap<string, Parked> }> {
  const at = await slackOffice({ settings: SETTINGS });
  const scripts: Record<string, Script> = {};
  const requestsOf = playEach(at.model, scripts);
  const parked = new Map<string, Parked>();
  const office: Office = {
    ...at,
    asking: asking(),
    play(words, script) {
      scripts[words] = script;
      return () => requestsOf(words);
    },
  };
  await at.bot.start();
  for (const [name, park] of Object.entries(POINTS)) parked.set(name, await park(office));
  for (const { before } of parked.values()) await before?.();
  await at.bot.kill("SIGKILL");
  for (const { dead } of parked.values()) dead?.();
  await at.bot.start();
  for (const { goOn } of parked.values()) await goOn();
  await untilIdle(at.bot);
  return { office, parked };
}

test.each(Object.keys(POINTS))("over kill -9, %s", (name) => {
  const at = over().parked.get(name);
  if (at === undefined) throw new Error("it was begun");
  at.over();
});
