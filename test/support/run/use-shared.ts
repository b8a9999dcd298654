import { afterAll, afterEach, beforeEach } from "vitest";

/**
 * What the tests around share, which is opened when the first of them begins. One that has failed may leave anything
 * behind, work without end too: for its next attempt, and for the test after it, all is closed and opened anew.
 * `timeoutMs`: how long that may take, where it is more than for other hooks.
 */
export function useShared<T>(
  open: () => Promise<T>,
  close: (opened: T) => unknown = () => {},
  timeoutMs?: number,
): () => T {
  let opened: { readonly it: T } | null = null;
  let isSpoiled = true;
  const end = async () => {
    const before = opened;
    opened = null;
    if (before !== null) await close(before.it);
  };
  beforeEach(async ({ task }) => {
    if (isSpoiled || (task.result?.retryCount ?? 0) > 0) {
      await end();
      opened = { it: await open() };
    }
    // Unless it is seen to pass: a hook that fails leaves out those after it.
    isSpoiled = true;
  }, timeoutMs);
  afterEach(({ task }) => {
    isSpoiled = task.result?.state === "fail";
  });
  afterAll(end);
  return () => {
    if (opened === null) throw new Error("it is there when a test begins");
    return opened.it;
  };
}
