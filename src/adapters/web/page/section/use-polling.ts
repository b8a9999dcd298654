import { useEffect } from "preact/hooks";

/** Calls back at regular intervals, in milliseconds, but not while the page is hidden. */
export function usePolling(poll: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && poll(), everyMs);
    return () => clearInterval(timer);
  }, []);
}
