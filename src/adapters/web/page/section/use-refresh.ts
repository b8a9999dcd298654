import { useEffect, useRef } from "preact/hooks";
import type { Controller } from "../state/controller.ts";

/** Delay before a notified change is reread, and polling interval for changes without a notice. In milliseconds. */
const SOON_MS = 1_000;
const AGAIN_MS = 15_000;

/** Calls back soon after a change and at regular intervals, but not while the page is hidden. */
export function useRefresh(controller: Controller, refresh: () => void): void {
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (ms: number): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        if (document.visibilityState === "visible") latest.current();
      }, ms);
    };
    const stop = controller.watch({ kind: "list" }, () => soon(SOON_MS));
    const interval = setInterval(() => soon(0), AGAIN_MS);
    const seen = (): void => soon(0);
    document.addEventListener("visibilitychange", seen);
    return () => {
      stop();
      clearTimeout(timer);
      clearInterval(interval);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [controller]);
}
