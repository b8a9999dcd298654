import type { PlatformHealth } from "../../../core/protocol/platform.ts";

/**
 * Takes one thing that Slack sent, resolving with what Slack is answered with (undefined: nothing but
 * the acknowledgement). A rejection means that Slack gets no answer and sends it again.
 */
export type TakePayload = (payload: unknown) => Promise<object | undefined>;

/** How Slack's events reach us: a socket of ours, or requests to a listener of ours. */
export interface SlackTransport {
  /** Resolves once events can come; rejects when they never will, or with the signal's reason. */
  open(take: TakePayload, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
  health(): PlatformHealth;
  /** Since when nothing that Slack sends can have been missed; null while something can. Milliseconds since the epoch. */
  receivingSince(): number | null;
}
