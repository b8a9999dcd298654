import { useState } from "preact/hooks";
import { problemOf } from "./request.ts";

export interface Action {
  readonly isBusy: boolean;
  /** Why the last one came to nothing; null where it did not. */
  readonly problem: string | null;
  /** Begins nothing while another one goes on. */
  readonly begin: (work: () => Promise<void>) => void;
  readonly forget: () => void;
}

/** What the server is asked to do, one after the other. */
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
