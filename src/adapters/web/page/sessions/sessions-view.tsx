import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { decoded } from "../state/address.ts";
import type { MainProps } from "../thread/thread-view.tsx";
import { EVERYTHING } from "./filters.tsx";
import { type LeftList, SessionList } from "./session-list.tsx";
import { SessionPage } from "./session-page.tsx";
import { NOTHING } from "./use-sessions.ts";

export interface SessionsViewProps extends MainProps {
  /** A session's id as the address has it; empty for the list. */
  readonly rest: string;
}

/** The list of sessions, or one of them; returning to the list restores it as it was left. */
export function SessionsView({ rest, ...props }: SessionsViewProps): JSX.Element {
  const left = useRef<LeftList>({ query: EVERYTHING, found: NOTHING, top: 0, opened: null });
  if (rest === "") return <SessionList {...props} left={left} />;
  const sessionId = decoded(rest);
  left.current = { ...left.current, opened: sessionId };
  const deleted = (): void => {
    left.current = { ...left.current, found: NOTHING, top: 0 };
  };
  return <SessionPage key={sessionId} {...props} sessionId={sessionId} deleted={deleted} />;
}
