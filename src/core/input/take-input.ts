import type { TurnContext, Wake } from "../engine/engine.ts";
import type { StoredEvent } from "../events/session-event.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import type { Message } from "../protocol/messages.ts";
import type { Ids, Runtime } from "../protocol/runtime.ts";
import { NO_USAGE } from "../protocol/usage.ts";
import type { Store } from "../store/store.ts";
import { localAnswer, showOutputs } from "./local-command.ts";
import { bringAll, messagesOf, type RunInputOptions } from "./run-input.ts";
import { goneSkills } from "./run-skills.ts";

export interface TakenRun {
  readonly store: Store;
  readonly wake: Wake;
  readonly context: TurnContext;
  /** What hooks add to the messages that came. */
  readonly complete: (messages: readonly Message[]) => Promise<readonly Message[]>;
}

/**
 * Brings the event that began the run into the history, with what waits beside it, in order of arrival. Answers what the
 * run's answer is when nothing came but shell commands, or calls of skills that are gone; null when the model is to answer.
 */
export async function takeInput(
  { store, wake, context, complete }: TakenRun,
  input: RunInputOptions,
): Promise<string | null> {
  const done = await context.earlier("input");
  if (done.found) {
    await tellLate(wake, { store, notice: input.notice });
    return typeof done.value === "string" ? done.value : null;
  }
  const events = [wake.event, ...wake.pending].toSorted((a, b) => a.seq - b.seq);
  const taken = await bringAll(events, async (event) => ({ seq: event.seq, messages: await messagesOf(event, input) }));
  const printed = localAnswer(taken);
  const told = printed === null ? goneSkills(events, input.skills) : null;
  const answer = printed ?? told?.text ?? null;
  if (answer === null) await showOutputs(taken, { context, maxChars: input.platform.descriptor.limits.messageChars });
  const brought = taken.flatMap(({ messages }) => messages);
  const said = answer === null ? await complete(brought) : brought;
  await context.transaction("input", async (tx) => {
    await context.append(tx, told === null ? said : [...said, answerMessage(told, input.ids)]);
    return answer;
  });
  return answer;
}

/** A live message that is shown anew still says that its run is late. */
async function tellLate({ runId }: Wake, { store, notice }: Pick<TakenRun, "store"> & Pick<RunInputOptions, "notice">) {
  for (const { body } of await store.inbox.ofRun(runId)) {
    if (body.kind === "message" && body.late !== undefined) notice(body.late);
  }
}

/** The run of commands that people typed: what they printed is the answer, unless somebody has stopped them. */
export function saidLocally(
  text: string,
  { ids, clock }: Pick<Runtime, "ids" | "clock">,
  signal: AbortSignal,
): QueryOutcome {
  signal.throwIfAborted();
  return { type: "end_turn", message: answerMessage({ text, at: clock.now() }, ids), usage: NO_USAGE };
}

function answerMessage({ text, at }: { readonly text: string; readonly at: number }, ids: Ids): Message {
  return { id: ids.next("msg"), role: "assistant", content: [{ type: "text", text }], createdAt: at };
}

/** What an event brings that came while the run works; outputs of commands are shown before the model reads them. */
export async function takeSteering(
  event: StoredEvent,
  context: Pick<TurnContext, "post">,
  input: RunInputOptions,
): Promise<Message[]> {
  const messages = await messagesOf(event, input);
  const maxChars = input.platform.descriptor.limits.messageChars;
  await showOutputs([{ seq: event.seq, messages }], { context, maxChars });
  return messages;
}
