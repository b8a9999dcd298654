import type { TurnContext, Wake } from "../engine/engine.ts";
import type { StoredEvent } from "../events/session-event.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import type { Message } from "../protocol/messages.ts";
import type { Ids, Runtime } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import { localCommandAnswer, showOutputs } from "./local-command.ts";
import { convertEvents, messagesOf, type RunInputOptions } from "./run-input.ts";
import { unavailableSkillsReply } from "./run-skills.ts";

export interface TakenRun {
  readonly store: Store;
  readonly wake: Wake;
  readonly context: TurnContext;
  /** Adds the data of hooks to the messages. */
  readonly complete: (messages: readonly Message[]) => Promise<readonly Message[]>;
}

/**
 * Adds the run's first event and the events waiting beside it to the history, in order of arrival. Returns the run's
 * answer if they held only shell commands or calls of missing skills, and null if the model should answer.
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
  const taken = await convertEvents(events, async (event) => ({
    seq: event.seq,
    messages: await messagesOf(event, input),
  }));
  const printed = localCommandAnswer(taken);
  const unavailable = printed === null ? unavailableSkillsReply(events, input.skills) : null;
  const answer = printed ?? unavailable?.text ?? null;
  if (answer === null) await showOutputs(taken, { context, maxChars: input.platform.descriptor.limits.messageChars });
  const brought = taken.flatMap(({ messages }) => messages);
  const inputMessages = answer === null ? await complete(brought) : brought;
  await context.transaction("input", async (tx) => {
    await context.append(
      tx,
      unavailable === null ? inputMessages : [...inputMessages, answerMessage(unavailable, input.ids)],
    );
    return answer;
  });
  return answer;
}

/** Repeats the notice of a late run when its live message is shown anew. */
async function tellLate({ runId }: Wake, { store, notice }: Pick<TakenRun, "store"> & Pick<RunInputOptions, "notice">) {
  for (const { body } of await store.inbox.ofRun(runId)) {
    if (body.kind === "message" && body.late !== undefined) notice(body.late);
  }
}

/**
 * The outcome of a run that consisted only of typed commands: their output is the answer. Throws the signal's reason if
 * the run was stopped.
 */
export function localCommandOutcome(
  text: string,
  { ids, clock }: Pick<Runtime, "ids" | "clock">,
  signal: AbortSignal,
): QueryOutcome {
  signal.throwIfAborted();
  return { type: "end_turn", message: answerMessage({ text, at: clock.now() }, ids) };
}

function answerMessage({ text, at }: { readonly text: string; readonly at: number }, ids: Ids): Message {
  return { id: ids.next("msg"), role: "assistant", content: [{ type: "text", text }], createdAt: at };
}

/** The messages of an event that arrived during the run. Outputs of commands are posted before the model reads them. */
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
