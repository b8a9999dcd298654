import { afterEach, beforeEach, expect } from "vitest";
import type { ModelServer, Script } from "../model/model-server.ts";
import { type Bot, untilIdle } from "../program/bot.ts";
import { useShared } from "../run/use-shared.ts";
import { type SlackOffice, type SlackOfficeOptions, slackOffice } from "./slack-talk.ts";

interface Stage extends AsyncDisposable {
  readonly bot: Bot;
  readonly model: ModelServer;
}

/**
 * One running program for the enclosing tests, since a start costs more than most scenarios. In each test the model
 * counts its requests from 0, but channels, threads and files remain from earlier tests.
 */
export function useStage<S extends Stage>(open: () => Promise<S>): () => S {
  const stage = useShared(
    async () => {
      const opened = await open();
      await opened.bot.start();
      return opened;
    },
    (opened) => opened[Symbol.asyncDispose](),
  );
  beforeEach(() => stage().model.forget());
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") return;
    await untilIdle(stage().bot);
    expect(stage().model.violations).toEqual([]);
  });
  return stage;
}

/**
 * Does the same for an office in Slack, in which private messages are cleared before each test.
 * Returns a function that gives the office, whose model plays the script from then on.
 */
export function useSlackOffice(options?: SlackOfficeOptions): (script?: Script) => SlackOffice {
  const stage = useStage(() => slackOffice(options));
  beforeEach(() => {
    stage().slack.workspace.ephemerals.length = 0;
  });
  return (script) => {
    const office = stage();
    if (script !== undefined) office.model.script(script);
    return office;
  };
}
