import { isDeepStrictEqual } from "node:util";
import { revokeGrant } from "../commands/approvals.ts";
import { runDetails } from "../history/run-details.ts";
import type { JobAction, JobControl } from "../jobs/job-control.ts";
import { askAgain, clickApproval } from "../people/approvals/clicks.ts";
import { clickFeedback, type OnVote } from "../people/feedback.ts";
import { type DecisionScope, NO_BUTTON } from "../people/interaction.ts";
import { answerByClick } from "../people/questions.ts";
import type { Describe } from "../platform/descriptor.ts";
import type { InboundAction, Receipt } from "../platform/inbound.ts";
import { reply } from "../platform/replies.ts";
import { channelKeyOf, type ThreadRef } from "../platform/thread.ts";
import { cancelledByPerson, causeText } from "../protocol/cancel-cause.ts";
import type { Log } from "../protocol/log.ts";
import { type HookDetails, type RunHook, withHooks } from "../run/run-hooks.ts";
import type { FeedbackValue } from "../store/run/feedback.ts";
import type { Store } from "../store/store.ts";
import { continueRun } from "./continue-run.ts";

export interface ClickOptions extends DecisionScope {
  readonly log: Log;
  readonly jobs: JobControl;
  readonly describe: Describe;
  /** Work that features do around runs. */
  readonly hooks: () => readonly RunHook[];
}

/** A parsed button id: `stop:run_1`, or `approve:y:run_1:2` with a choice. */
interface ButtonId {
  readonly verb: string;
  readonly choice: string;
  readonly id: string;
}

/** The place where a button works. */
interface ButtonScope {
  readonly channelKey: string;
  /**
   * Null if it works anywhere in the channel. In a session's scope, null means that the channel is one conversation.
   */
  readonly threadId: string | null;
}

interface ButtonKind {
  readonly hasChoice?: true;
  /**
   * Finds the place of the object that the id names; null if there is no such object. "anywhere" is for actions that
   * check by themselves who may do them from where.
   */
  readonly scope: "anywhere" | ((id: string, store: Store) => Promise<ButtonScope | null>);
  /** Performs the action; null if there is nothing to act on. */
  readonly click: (action: InboundAction, id: ButtonId, options: ClickOptions) => Promise<Receipt | null>;
}

/** All buttons that act on existing objects, by verb. A button whose verb is missing here does nothing. */
const BUTTONS: ReadonlyMap<string, ButtonKind> = new Map<string, ButtonKind>([
  ["stop", { scope: scopeIn("runs"), click: stopRun }],
  ["details", { scope: scopeIn("runs"), click: details }],
  ["continue", goOn("Continue.")],
  ["retry", goOn("Try again.")],
  ["good", vote("up")],
  ["bad", vote("down")],
  ["approve", { hasChoice: true, scope: scopeIn("approvals"), click: clickApproval }],
  ["ask-again", { scope: scopeIn("approvals"), click: askAgain }],
  ["answer", { hasChoice: true, scope: scopeIn("questions"), click: answerByClick }],
  ["hook", { hasChoice: true, scope: scopeIn("runs"), click: clickHook }],
  ["revoke", { scope: scopeOfGrant, click: revoke }],
  ["job-run", act("run")],
  ["job-pause", act("disable")],
  ["job-enable", act("enable")],
]);

/** Handles a click on one of the bot's buttons. Only clicks from the place of the button count. */
export async function receiveClick(action: InboundAction, options: ClickOptions): Promise<Receipt> {
  const [verb, rest] = splitAction(action.action);
  const button = BUTTONS.get(verb);
  const [choice, id] = button?.hasChoice === true ? splitAction(rest) : ["", rest];
  const scope = button === undefined || button.scope === "anywhere" ? null : await button.scope(id, options.store);
  const isHere = scope === null || isAt(action.thread, scope);
  const receipt = isHere ? await button?.click(action, { verb, choice, id }, options) : null;
  if (receipt) return receipt;
  const { action: clicked, person, thread } = action;
  options.log.warn({ action: clicked, person: person.id, thread }, isHere ? "unknown_action" : "click_elsewhere");
  return reply(NO_BUTTON);
}

/** A thread's buttons work only in that thread, because a private thread is not visible to everyone in the channel. */
function isAt(thread: ThreadRef, { channelKey, threadId }: ButtonScope): boolean {
  if (channelKeyOf(thread) !== channelKey) return false;
  return threadId === null || thread.threadId === threadId;
}

function scopeIn(rows: "runs" | "approvals" | "questions") {
  return async (id: string, store: Store) => scopeOfSession(await store[rows].get(id), store);
}

async function scopeOfGrant(id: string, store: Store): Promise<ButtonScope | null> {
  const grant = await store.grants.get(id);
  return grant === null ? null : { channelKey: grant.channelId, threadId: null };
}

/** The scope of an object's session. A sub-agent uses the thread of its root session. */
async function scopeOfSession(of: { readonly sessionId: string } | null, store: Store): Promise<ButtonScope | null> {
  if (of === null) return null;
  const { task } = await store.sessions.get(of.sessionId);
  const { channelKey, thread } = await store.sessions.get(task?.root.sessionId ?? of.sessionId);
  return { channelKey, threadId: thread.threadId };
}

async function revoke({ person }: InboundAction, { id }: ButtonId, options: ClickOptions): Promise<Receipt> {
  return reply(await revokeGrant(id, { ...options, person }));
}

/** Actions on a job, from below its report or its entry in a list. */
function act(does: JobAction): ButtonKind {
  return {
    scope: "anywhere",
    click: async (action, { id }, { jobs }) => reply((await jobs.act(does, id, action)).text),
  };
}

/** A button whose click counts as these words of the person. */
function goOn(text: string): ButtonKind {
  return { scope: scopeIn("runs"), click: (action, id, options) => continueRun(action, { ...id, text }, options) };
}

function vote(value: FeedbackValue): ButtonKind {
  return {
    scope: scopeIn("runs"),
    click: (action, { id: runId }, { hooks, log, ...options }) =>
      withHooks<Parameters<OnVote>, Receipt | null>(
        (voted) => clickFeedback(action, { value, runId }, { ...options, onVote: voted }),
        (hook, ...given) => hook.voted?.(...given),
        { hooks: hooks(), log, runId },
      ),
  };
}

const NO_DETAILS: HookDetails = { lines: [] };

/** Shows the steps of a run and the additions of features. A feature that fails is skipped. */
async function details(
  reader: InboundAction,
  { id: runId }: ButtonId,
  { store, describe, hooks, log }: ClickOptions,
): Promise<Receipt | null> {
  const detailsOf = async ({ name, details: detailsOfHook }: RunHook): Promise<HookDetails & Pick<RunHook, "name">> => {
    try {
      return { name, ...((await detailsOfHook?.(runId, reader)) ?? NO_DETAILS) };
    } catch (error) {
      log.warn({ err: error, feature: name, runId }, "hook_failed");
      return { name, ...NO_DETAILS };
    }
  };
  const additions = await Promise.all(hooks().map(detailsOf));
  const more = additions.flatMap(({ lines }) => lines).join("\n");
  const room = describe(reader.thread.platform).limits.messageChars - more.length - 1;
  const message = await runDetails(store, runId, room);
  if (message === null) return null;
  const buttons = additions.flatMap(({ name, button: label }) =>
    label === undefined ? [] : [{ id: `hook:${name}:${runId}`, label, style: "default" } as const],
  );
  const markdown = more === "" ? message.markdown : `${message.markdown}\n${more}`;
  return { type: "reply", message: { ...message, markdown, buttons } };
}

async function clickHook(action: InboundAction, { choice, id }: ButtonId, { hooks }: ClickOptions) {
  const words = await hooks()
    .find(({ name }) => name === choice)
    ?.clicked?.(id, action);
  return words === undefined ? null : reply(words);
}

/** Stops a run. The store decides whose stop counts, and a click that came second or too late is told so. */
async function stopRun({ person }: InboundAction, { id }: ButtonId, { store, engine }: ClickOptions) {
  const run = await store.runs.get(id);
  if (run === null) return null;
  const own = cancelledByPerson(person);
  if (run.status !== "ended") await engine.cancel(run.sessionId, run.id, own);
  const cause = (await store.runs.get(run.id))?.cancelledBy ?? null;
  const isOwn = cause !== null && isDeepStrictEqual(cause, own);
  if (isOwn && run.status !== "ended") return { type: "accepted" } as const;
  return cause !== null && !isOwn
    ? reply(`⏹ Already stopped by ${causeText(cause)}.`)
    : reply("This has already ended; there is nothing to stop.");
}

/** Splits `stop:run_1` into `stop` and `run_1`. */
function splitAction(action: string): [verb: string, id: string] {
  const colon = action.indexOf(":");
  return colon === -1 ? [action, ""] : [action.slice(0, colon), action.slice(colon + 1)];
}
