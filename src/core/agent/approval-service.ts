import type { ContentBlock, Message, ToolUseBlock } from "../protocol/messages.ts";
import type { CallPreview, CallRefusal, Tool } from "../tool.ts";
import type { Label } from "../trust/label.ts";

/** A call that waits for people. */
export interface AskedCall {
  readonly use: ToolUseBlock;
  readonly tool: Tool;
  /** Why it is asked although the mode may not demand it; null when the mode does. */
  readonly why: string | null;
  /** Asked each time: no grant counts, and none is remembered. */
  readonly always: boolean;
  /** What people see before they decide, or why the call would fail; looked at once. */
  preview(): Promise<CallPreview | CallRefusal>;
}

/** What led to a turn's calls. */
export interface AskingRequest {
  /** All that requests carry. */
  readonly label: Label;
  /** The history, for whose words they are and what they say. */
  readonly messages: readonly Message[];
}

export type CallVerdict =
  /** `previewDigest`: of what people saw. */
  | { readonly type: "allowed"; readonly previewDigest?: string }
  /** `reason` is told to the model. */
  | { readonly type: "denied"; readonly reason: string };

/** Where the loop asks people. Decisions are durable, and each is made once. */
export interface ApprovalService {
  /**
   * The verdict on each of a turn's calls, by call id: by grants where they cover it, else by people. Null while they have
   * not decided: the run parks, and asks again when it is woken. Throws what the store and the platform throw.
   */
  verdicts(
    turn: number,
    calls: readonly AskedCall[],
    request: AskingRequest,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, CallVerdict> | null>;
  /** For the history: which of a turn's calls people were asked about. */
  asked(turn: number): Promise<readonly ContentBlock[]>;
}
