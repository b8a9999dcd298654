import { eventKey, ownId } from "../../core/events/event-key.ts";
import type { InboundAction, Receipt } from "../../core/platform/inbound.ts";
import type { OutgoingFile } from "../../core/platform/outgoing.ts";
import { type Person, sessionKeyOf } from "../../core/platform/thread.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { cancelledByPerson } from "../../core/protocol/cancel-cause.ts";
import type { TeamSessions } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import type { ConsoleScope } from "./scope.ts";
import { mayPress } from "./session.ts";
import { consoleReads, type ThreadRow } from "./store.ts";
import type { Place, Viewer } from "./visibility.ts";

type Press = Parameters<TeamSessions["press"]>[1];
type Pressed = NonNullable<Awaited<ReturnType<TeamSessions["press"]>>>;

/** Actions of buttons on a session's page. */
const BUTTON = /^(?:stop|approve|answer):[\w:-]{1,200}$/u;
/** Buttons for what can also be typed in a thread. */
const COMMAND = /^command:(export|fork)$/u;
const NO_BUTTON = "This button no longer exists.";
const ENDED = "This has already ended; there is nothing to stop.";

/**
 * Presses a button in the session's thread as the viewer's linked person. The core decides what it does and who may
 * press it, as for any click.
 */
export async function pressButton(viewer: Viewer, press: Press, pressing: ConsoleScope): Promise<Pressed | null> {
  const { host, visibility } = pressing;
  const row = await host.store.tables(consoleReads).get(press.sessionId);
  if (row === null || !(await visibility.sees(viewer, row))) return null;
  const command = COMMAND.exec(press.action)?.[1] ?? null;
  if ((command === null && !BUTTON.test(press.action)) || !mayPress(viewer)) return pressed(NO_BUTTON);
  const actor = await visibility.actor(viewer, row);
  const account = viewer.kind === "account" ? viewer.account.name : null;
  host.log.info({ account, person: actor?.id, sessionId: row.id, action: press.action }, "pressed_on_page");
  if (actor === null) {
    if (viewer.kind === "operator" && press.action.startsWith("stop:")) return stop(press.action.slice(5), host);
    return pressed(refusalAt(viewer, row, host));
  }
  const event = { ...eventBy(actor, row, press.clickId), at: host.runtime.clock.now() };
  if (command === null) return pressed(await host.receive({ ...event, kind: "action", action: press.action }));
  if (!(await isItsThreads(row, host))) return pressed(NO_BUTTON);
  return pressed(await host.receive({ ...event, kind: "command", name: command, args: "" }));
}

/** Why the viewer cannot act in this place. */
export function refusalAt(
  viewer: Viewer,
  { thread }: Pick<Place, "thread">,
  { describe }: Pick<ConsoleScope["host"], "describe">,
): string {
  if (!mayPress(viewer)) return "Your account may only read.";
  const { title } = describe(thread.platform);
  if (viewer.kind === "operator") return `Make changes on ${title}, where it is known who you are.`;
  return `To do this, link your account on ${title}: type \`/link\` in a thread of this page.`;
}

/** Whether the session is its thread's current one, on which commands act; `/new` starts another. */
async function isItsThreads({ id, thread }: ThreadRow, { store }: Pick<FeatureHost, "store">): Promise<boolean> {
  return (await store.sessions.byKey(sessionKeyOf(thread)))?.id === id;
}

export function eventBy(
  person: Person,
  { channel, thread }: Pick<ThreadRow, "channel" | "thread">,
  clickId: string,
): Omit<InboundAction, "kind" | "action" | "at"> {
  const { id, name, kind, workspaceName } = channel;
  return {
    key: eventKey(thread.platform, "page", clickId),
    workspace: { id: thread.workspaceId, name: workspaceName },
    channel: { id: ownId(id), name, kind: kind === "dm" || kind === "group" ? kind : "channel" },
    thread,
    person,
  };
}

/** Stops a run for the operator, who holds this machine's key and may end anything that runs on it. */
async function stop(runId: string, { store, engine }: ConsoleScope["host"]): Promise<Pressed> {
  const run = await store.runs.get(runId);
  if (run === null || run.status === "ended") return pressed(ENDED);
  await engine.cancel(run.sessionId, run.id, cancelledByPerson({ name: "operator" }));
  return DONE;
}

const DONE: Pressed = { words: null, files: [] };

function pressed(receipt: Receipt | string): Pressed {
  if (typeof receipt === "string") return { words: receipt, files: [] };
  switch (receipt.type) {
    case "reply":
      return { words: receipt.message.markdown, files: receipt.message.files.map(textFile) };
    case "refused":
      return pressed(receipt.reason);
    case "accepted":
    case "duplicate":
    case "ignored":
    case "completions":
    case "home":
    case "prompts":
      return DONE;
    default:
      return assertNever(receipt);
  }
}

function textFile({ name, data }: OutgoingFile): Pressed["files"][number] {
  return { name, text: new TextDecoder().decode(data) };
}
