import { afterAll, afterEach, beforeEach } from "vitest";

/**
 * A resource shared by the enclosing tests, opened when the first of them begins. A failed test may leave anything
 * behind, even endless work, so the resource is closed and opened anew for its retry and for the next test.
 * `timeoutMs` is the time limit for that, if it exceeds the usual limit of hooks.
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
    // Assume a failure until the test has passed, because a failing hook skips later ones.
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
