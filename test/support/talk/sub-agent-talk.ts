import { type Part, toolUse } from "../model/model-script.ts";
import type { RecordedRequest } from "../model/model-server.ts";
import { isAssigned } from "./agent-lines.ts";
import type { SlackOffice, Talk } from "./slack-talk.ts";

/** A call that delegates the part with this name to a sub-agent. */
export function part(name: string, more: object = {}): Part {
  return toolUse("agent", { description: `part ${name}`, prompt: `Do part ${name}.`, ...more });
}

export const background = { run_in_background: true };

/** True for a request of the sub-agent that has this part. */
export function isPart(request: RecordedRequest, name: string): boolean {
  return isAssigned(request, `Do part ${name}.`);
}

/** The newest tool results, on one line. */
export function results({ toolResults }: RecordedRequest): string {
  return toolResults.map(({ text }) => text).join(" | ");
}

/** The thread's answers, without announcements of delegated work. */
export function answers(talk: Talk): string[] {
  return talk.answers().filter((answer) => !answer.startsWith("→"));
}

/** Waits until an answer contains these words. */
export function answered(at: SlackOffice, talk: Talk, words: string): Promise<void> {
  return at.until(`the answer "${words}"`, () => answers(talk).some((answer) => answer.includes(words)));
}
