import type { ToolContext } from "../../src/core/tool.ts";
import { EMPTY_LABEL } from "../../src/core/trust/label.ts";
import { buildConfig } from "./query-config.ts";
import { idleThread } from "./talk/idle-thread.ts";

/** A call's context in which nothing happens beside the call. */
export function toolContext(more: Partial<ToolContext> & Pick<ToolContext, "sandboxRoot">): ToolContext {
  return {
    sessionId: "session",
    runId: "run",
    personId: "slack:U1",
    callId: "call",
    channelKey: "slack:C1",
    readOnly: false,
    config: buildConfig({ model: "demo/demo" }),
    allowedHosts: [],
    blockedUrls: [],
    nonInteractive: false,
    label: EMPTY_LABEL,
    approved: false,
    toolState: null,
    knownFiles: new Map(),
    knownAddresses: () => [],
    intend: async () => {},
    thread: idleThread,
    queued: () => {},
    waits: () => {},
    progress: () => {},
    showPlan: () => {},
    ...more,
  };
}
