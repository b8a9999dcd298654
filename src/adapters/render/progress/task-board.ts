import type { TaskProgress } from "../../../core/protocol/events.ts";
import { isAtWork } from "./task-lines.ts";

type Follow = (task: TaskProgress) => void;

/**
 * Passes the progress of sub-agents to the views of the runs that they descend from. A restart may lose it all, because
 * outcomes are in the store.
 */
export interface TaskBoard {
  publish(rootRunId: string, task: TaskProgress): void;
  /** Returns the known state of the sub-agents of a run, and reports every change until `stop`. */
  follow(rootRunId: string, follow: Follow): TaskFollower;
}

export interface TaskFollower {
  readonly tasks: readonly TaskProgress[];
  stop(): void;
}

interface Board {
  readonly tasks: Map<string, TaskProgress>;
  readonly followers: Set<Follow>;
}

export function createTaskBoard(): TaskBoard {
  const boards = new Map<string, Board>();
  const boardOf = (runId: string): Board => {
    const board = boards.get(runId) ?? { tasks: new Map(), followers: new Set() };
    boards.set(runId, board);
    return board;
  };
  const forget = (runId: string, { tasks, followers }: Board) => {
    if (followers.size === 0 && ![...tasks.values()].some(isAtWork)) boards.delete(runId);
  };
  return {
    publish(runId, task) {
      const board = boardOf(runId);
      board.tasks.set(task.id, task);
      for (const follow of board.followers) follow(task);
      forget(runId, board);
    },
    follow(runId, follow) {
      const board = boardOf(runId);
      board.followers.add(follow);
      return {
        tasks: [...board.tasks.values()],
        stop() {
          board.followers.delete(follow);
          forget(runId, board);
        },
      };
    },
  };
}
