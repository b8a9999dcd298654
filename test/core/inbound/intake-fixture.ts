import { onTestFinished } from "vitest";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { EmbeddedEngine } from "../../../src/core/embedded-engine/embedded-engine.ts";
import type { SessionHandler } from "../../../src/core/engine/engine.ts";
import type { IntakeOptions } from "../../../src/core/inbound/intake.ts";
import type { InboundAction, InboundCommand, InboundMessage, Receipt } from "../../../src/core/platform/inbound.ts";
import type { OutgoingMessage } from "../../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { Recorder } from "../../contracts/engine-recorder.ts";
import { commandServices } from "../../support/command-services.ts";
import { emptyStore } from "../../support/database/emptied-databases.ts";
import { silentLog } from "../../support/silent-log.ts";

const NO_PLATFORM = { find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) };

const ANA = { id: "slack:U1", name: "ana", roles: [], isBot: false, isGuest: false, isExternal: false };
const THREAD: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" };
const PLACE = {
  workspace: { id: "T1", name: "Acme" },
  channel: { id: "C1", name: "ops", kind: "channel" },
  at: 1_800_000_000_000,
} as const;

let events = 0;

/** Ana mentions the bot, always in the same thread unless `more` names another. */
export function mention(text: string, more: Partial<InboundMessage> = {}): InboundMessage {
  events += 1;
  return {
    ...PLACE,
    kind: "message",
    key: `slack:T1:C1:${events}`,
    thread: THREAD,
    person: ANA,
    text,
    addressed: "mention",
    opensThread: true,
    attachments: [],
    quoted: [],
    messageId: String(events),
    ...more,
  };
}

/** Ana types a slash command into the channel. */
export function slash(name: string, args = "", more: Partial<InboundCommand> = {}): InboundCommand {
  events += 1;
  const thread = { ...THREAD, threadId: null };
  return { ...PLACE, kind: "command", key: `slack:command:${events}`, thread, person: ANA, name, args, ...more };
}

/** Ana clicks a button in her thread. */
export function click(action: string, more: Partial<InboundAction> = {}): InboundAction {
  events += 1;
  return { ...PLACE, kind: "action", key: `slack:action:${events}`, thread: THREAD, person: ANA, action, ...more };
}

/** Text that only the person sees. */
export function privateText(receipt: Receipt): string {
  return receipt.type === "reply" ? receipt.message.markdown : `(${receipt.type})`;
}

export interface Announced {
  readonly thread: ThreadRef;
  readonly message: OutgoingMessage;
  readonly key: string;
}

/** A store, an engine whose runs end at once unless `work` is given, and the announced messages. */
export async function intakeOptions(work?: Parameters<Recorder["handler"]>[0]) {
  const runtime = systemRuntime();
  const store = await emptyStore();
  const log = silentLog;
  const engine = new EmbeddedEngine({ store, runtime, log, maxConcurrentRuns: 32, target: () => NO_PLATFORM });
  const recorder = new Recorder();
  const handler: SessionHandler = recorder.handler(work);
  await engine.start(handler);
  onTestFinished(async () => {
    await engine.stop(1_000);
  });
  const announced: Announced[] = [];
  const options: IntakeOptions = {
    commands: CHAT_COMMANDS,
    store,
    engine,
    runtime,
    log,
    cluster: onlyProcess({ clock: runtime.clock, log }),
    hooks: () => [],
    approvals: { approvers: [], requester: true, expiresMinutes: 60, admins: [] },
    access: { admins: [], deny: [], guests: false, external: false },
    requiresMention: () => false,
    workspaceRefusal: () => Promise.resolve(null),
    ...commandServices(),
    announce: (thread, message, key) => {
      announced.push({ thread, message, key });
      return Promise.resolve({
        platform: thread.platform,
        channelId: thread.channelId,
        messageId: `m${announced.length}`,
      });
    },
  };
  const session = (thread: ThreadRef = THREAD) =>
    store.sessions.byKey([thread.platform, thread.workspaceId, thread.channelId, thread.threadId ?? "-"].join(":"));
  return { options, recorder, announced, session };
}
