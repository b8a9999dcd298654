import type { ChildEvent } from "../../src/core/events/child-event.ts";

/** The event that begins a sub-agent: the child of a run of ana's, which has full access and needs no approvals. */
export function childEvent(
  parent: ChildEvent["parent"],
  more: Partial<Omit<ChildEvent, "task">> & { readonly task: Partial<ChildEvent["task"]> },
): ChildEvent {
  const { sessionId, runId } = parent;
  const task = { agent: "executor", description: parent.callId, background: true, depth: 1, ...more.task };
  return {
    kind: "child",
    parent,
    prompt: "",
    author: { id: "slack:U1", name: "ana" },
    people: [],
    access: "full",
    mode: "agi",
    tools: [],
    grantedTools: [],
    maxTurns: 10,
    nonInteractive: false,
    job: null,
    at: 0,
    ...more,
    task: { root: { sessionId, runId }, ...task },
  };
}
