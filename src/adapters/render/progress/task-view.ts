import type { ChildEvent } from "../../../core/events/child-event.ts";
import type { OpenRunView, RunView, RunViewOptions } from "../../../core/progress/run-view.ts";
import type { QueryEvent, QueryOutcome, RunStats, TaskProgress } from "../../../core/protocol/events.ts";
import type { RunViewDeps } from "../run-view.ts";
import { isOfSubAgent } from "./task-lines.ts";

type Scope = Pick<RunViewDeps, "board" | "clock">;

/** Interval at which the time on a sub-agent's line advances. In milliseconds. */
const TICK_MS = 5_000;

/** Creates views for sub-agents, which post nothing: each is one line in the live message of the root run. */
export function createTaskViews(deps: Scope, event: ChildEvent): OpenRunView {
  return (options) => new TaskView(deps, event, options);
}

const ENDS: Readonly<Record<QueryOutcome["type"], TaskProgress["state"]>> = {
  end_turn: "done",
  max_tokens: "done",
  cancelled: "stopped",
  budget_exceeded: "failed",
  max_turns: "failed",
  error: "failed",
};

class TaskView implements RunView {
  readonly #deps: Scope;
  readonly #event: ChildEvent;
  readonly #run: RunViewOptions;
  #state: TaskProgress["state"] = "working";
  #tools: number;
  #note = "";
  /** Name of the newest call, which is the one that parks the run or waits for the same thing as the one that does. */
  #toolName = "";
  #cancelTick: () => void = () => {};

  constructor(deps: Scope, event: ChildEvent, run: RunViewOptions) {
    this.#deps = deps;
    this.#event = event;
    this.#run = run;
    this.#tools = run.toolsBefore;
    this.#tick();
  }

  show(event: QueryEvent): void {
    switch (event.type) {
      case "queued":
        this.#state = "queued";
        break;
      case "tool_start":
        this.#toolName = event.toolName;
        return;
      case "tool_end":
        this.#tools += 1;
        break;
      case "parked":
        if (event.on === "approval") this.#note = "waiting for a decision";
        else if (isOfSubAgent({ toolName: this.#toolName })) return;
        this.#state = "waiting";
        break;
      case "status":
        this.#note = event.text;
        break;
      case "tool_waits":
        this.#note = event.what;
        break;
      case "turn_start":
        this.#state = "working";
        break;
      case "turn_end":
        this.#note = "";
        break;
      default:
        return;
    }
    this.#publish();
  }

  async finish({ type }: QueryOutcome, { tools }: RunStats): Promise<void> {
    this.#cancelTick();
    this.#state = ENDS[type];
    this.#tools = tools;
    this.#publish();
  }

  async park(): Promise<void> {
    this.#cancelTick();
    this.#publish();
  }

  async suspend(): Promise<void> {
    this.#cancelTick();
  }

  #tick(): void {
    this.#publish();
    this.#cancelTick = this.#deps.clock.after(TICK_MS, () => this.#tick());
  }

  #publish(): void {
    const { board, clock } = this.#deps;
    const { task, parent } = this.#event;
    const { agent, description, root } = task;
    board.publish(root.runId, {
      id: this.#run.sessionId,
      callId: parent.callId,
      agent,
      description,
      state: this.#state,
      tools: this.#tools,
      elapsedMs: clock.now() - this.#run.startedAt,
      note: this.#note,
    });
  }
}
