import type { ContentBlock, Message, ToolUseBlock } from "../protocol/messages.ts";
import type { CallPreview, CallRefusal, Tool } from "../tool.ts";
import type { Label } from "../trust/label.ts";

/** A tool call that needs people's approval before it runs. */
export interface PendingCall {
  readonly use: ToolUseBlock;
  readonly tool: Tool;
  /** Why the tool's own rule demands approval; null if only the mode does. */
  readonly why: string | null;
  /** If true, people are asked every time: existing grants do not count, and none is remembered. */
  readonly always: boolean;
  /** What the card shows, or why the call would fail. Computed once. */
  preview(): Promise<CallPreview | CallRefusal>;
}

/** The request that led to a turn's calls. */
export interface ApprovalRequest {
  /** The label of everything that the requests carry. */
  readonly label: Label;
  /** The history, which shows whose words led to the calls. */
  readonly messages: readonly Message[];
}

export type CallVerdict =
  /** `previewDigest` identifies what people saw. */
  | { readonly type: "allowed"; readonly previewDigest?: string }
  /** The model reads `reason`. */
  | { readonly type: "denied"; readonly reason: string };

/** Asks people on behalf of the query loop. Decisions are durable, and each is made once. */
export interface ApprovalService {
  /**
   * Returns the verdict on each of a turn's calls, by call id, from grants where they apply and from people otherwise.
   * Null while people have not decided: the run parks and asks again at its next wake. Throws errors of the store and
   * the platform.
   */
  verdicts(
    turn: number,
    calls: readonly PendingCall[],
    request: ApprovalRequest,
  ): Promise<ReadonlyMap<string, CallVerdict> | null>;
  /** The blocks that record in the history which of a turn's calls people were asked about. */
  asked(turn: number): Promise<readonly ContentBlock[]>;
}
