import { revokeGrant } from "../commands/approvals.ts";
import { privately } from "../commands/private-reply.ts";
import { jobClick } from "../jobs/job-clicks.ts";
import type { JobControl } from "../jobs/job-control.ts";
import type { ApprovalRules } from "../permissions/deciders.ts";
import type { Log } from "../protocol/log.ts";
import type { InboundAction, PlatformName, Receipt } from "../protocol/platform.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { RunRow } from "../store/runs.ts";
import type { Store } from "../store/store.ts";
import { askAgain, clickApproval } from "./approval-clicks.ts";
import type { SessionEngine } from "./engine.ts";
import { clickFeedback } from "./feedback.ts";
import { goOn } from "./go-on.ts";
import { answerByClick } from "./questions.ts";
import { runDetails } from "./run-details.ts";

export interface ClickOptions {
  readonly store: Store;
  readonly engine: SessionEngine;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly approvals: ApprovalRules;
  readonly jobs: JobControl;
  /** Most characters of a message's markdown. */
  readonly messageChars: (platform: PlatformName) => number;
}

/** What a click on one of our buttons does. */
export async function receiveClick(action: InboundAction, options: ClickOptions): Promise<Receipt> {
  const { store } = options;
  const roomFor = ({ thread }: InboundAction) => options.messageChars(thread.platform);
  const [verb, id] = splitAction(action.action);
  if (verb === "approve") {
    const [choice, approval] = splitAction(id);
    return clickApproval(action, { choice, id: approval }, options);
  }
  if (verb === "answer") {
    const [choice, question] = splitAction(id);
    return answerByClick(action, { choice, id: question }, options);
  }
  if (verb === "revoke") {
    const { person } = action;
    return { type: "reply", message: privately(await revokeGrant(id, { ...options, person })) };
  }
  if (verb === "ask-again") return askAgain(action, id, options);
  const clicked = await jobClick(options.jobs, { verb, id }, action);
  if (clicked !== null) return clicked;
  const gone = await goOn(action, { verb, runId: id }, options);
  if (gone !== null) return gone;
  const voted = await clickFeedback(action, { verb, runId: id }, options);
  if (voted !== null) return voted;
  const run = await store.runs.get(id);
  if (run !== null && verb === "stop") return stopRun(run, `@${action.person.name}`, options);
  const details = run !== null && verb === "details" ? await runDetails(store, run.id, roomFor(action)) : null;
  if (details !== null) return { type: "reply", message: details };
  options.log.warn({ action: action.action }, "unknown_action");
  return { type: "reply", message: privately("This button does nothing any more.") };
}

/** The store decides whose stop it was: a click that came second, or too late, is told so. */
async function stopRun(run: RunRow, by: string, { store, engine }: ClickOptions): Promise<Receipt> {
  if (run.status !== "ended") await engine.cancel(run.sessionId, run.id, by);
  const cancelledBy = (await store.runs.get(run.id))?.cancelledBy ?? null;
  if (cancelledBy === by && run.status !== "ended") return { type: "accepted" };
  const isOthers = cancelledBy !== null && cancelledBy !== by;
  const late = isOthers
    ? `⏹ ${cancelledBy} has stopped this already.`
    : "This has ended already; there is nothing to stop.";
  return { type: "reply", message: privately(late) };
}

/** `stop:run_1` → stop, run_1. */
function splitAction(action: string): [verb: string, id: string] {
  const colon = action.indexOf(":");
  return colon === -1 ? [action, ""] : [action.slice(0, colon), action.slice(colon + 1)];
}
