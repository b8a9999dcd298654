import type { PlatformHealth } from "../../../core/platform/chat-platform.ts";

/**
 * Handles one payload and resolves with the response to Slack (undefined: only the acknowledgement). If it rejects,
 * Slack gets no acknowledgement and sends the payload again.
 */
export type TakePayload = (payload: unknown) => Promise<object | undefined>;

/** How Slack's events arrive: over a socket, or by requests to an HTTP listener. */
export interface SlackTransport {
  /** Resolves once events can arrive, here or in another process. Rejects if they never will, or on abort. */
  open(take: TakePayload, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
  health(): PlatformHealth;
}
