import type { Claim } from "../engine/engine.ts";
import { postKey } from "../engine/post-once.ts";
import type { SessionEventBody } from "../events/session-event.ts";
import type { DecisionScope } from "../people/interaction.ts";
import type { InboundAction, Receipt } from "../protocol/platform.ts";
import { reply } from "../protocol/private-reply.ts";
import type { RunRow } from "../store/runs.ts";
import type { SessionRow } from "../store/sessions.ts";

/** What a click says in the clicker's place, by the button's verb. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["continue", "Continue."],
  ["retry", "Try again."],
]);

/**
 * A click on `continue:<run>` or `retry:<run>`, on the message that ended the run: a message of the clicker's, with which
 * a new run begins. Its key is of the ended run, so whoever clicks, and however often, that run is gone on with once.
 * Null when it is another button.
 */
export async function continueRun(
  action: InboundAction,
  { verb, runId }: { verb: string; runId: string },
  options: Pick<DecisionScope, "store" | "engine" | "runtime">,
): Promise<Receipt | null> {
  const { store, engine } = options;
  const text = WORDS.get(verb);
  const run = text === undefined ? null : await store.runs.get(runId);
  if (text === undefined || run === null) return null;
  const session = await store.sessions.get(run.sessionId);
  const key = `${verb}:${runId}`;
  const event = { key, body: await bodyOf(action, { run, session, text }, options) };
  const outcome = await engine.deliver(session.id, event, nothingElseRuns(run, options));
  if (outcome === "new") return { type: "accepted" };
  if (outcome === "refused") return reply(`**${session.agent}** is at work here already.`);
  const first = clickerOf((await store.inbox.byKey(key))?.body);
  return first === null || first.id === action.person.id
    ? { type: "duplicate" }
    : reply(`@${first.name} has clicked this already.`);
}

/** A compaction that failed is tried again as one. */
async function bodyOf(
  { person, at }: InboundAction,
  { run, session, text }: { run: RunRow; session: SessionRow; text: string },
  { store }: Pick<DecisionScope, "store">,
): Promise<SessionEventBody> {
  const author = { id: person.id, name: person.name };
  const [begun, ending] = await Promise.all([
    store.inbox.get(run.eventSeq),
    store.posts.get(postKey(run.id, "answer:0")),
  ]);
  if (begun.body.kind === "compact") return { kind: "compact", by: author };
  return {
    kind: "message",
    author,
    text,
    quoted: [],
    attachments: [],
    thread: session.thread,
    messageId: ending?.posted?.messageId ?? "",
    at,
    addressed: true,
    joinsThread: false,
    // The ended run, whose last steps may still be under way, does not take it in.
    isOwnRun: true,
  };
}

/** A run that goes on, or is about to, needs no other beside it; the ended one may still be at its last steps. */
function nothingElseRuns(run: RunRow, { runtime }: Pick<DecisionScope, "runtime">): Claim {
  return async (tx) => {
    await tx.sessions.lock(run.sessionId);
    if ((await tx.inbox.nextWaking(run.sessionId, runtime.clock.now())) !== null) return false;
    const open = await tx.runs.open(run.sessionId);
    return open === null || open.id === run.id;
  };
}

function clickerOf(body: SessionEventBody | undefined) {
  if (body?.kind === "message") return body.author;
  return body?.kind === "compact" ? body.by : null;
}
