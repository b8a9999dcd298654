import { useState } from "preact/hooks";
import { problemOf } from "./request.ts";

export interface Action {
  readonly isBusy: boolean;
  /** Why the last action failed; null if it did not. */
  readonly problem: string | null;
  /** Starts an action, unless another one is still running. */
  readonly begin: (work: () => Promise<void>) => void;
  readonly forget: () => void;
}

/** Runs requests that change something, one at a time. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const act = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(null);
    await work().catch((error: unknown) => setProblem(problemOf(error)));
    setBusy(false);
  };
  const begin = (work: () => Promise<void>): void => {
    if (!isBusy) act(work).catch(() => {});
  };
  return { isBusy, problem, begin, forget: () => setProblem(null) };
}
