import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { EVERYTHING } from "./filters.tsx";
import { type LeftList, SessionList } from "./session-list.tsx";
import { SessionPage } from "./session-page.tsx";
import type { TeamViewProps } from "./team-view-props.ts";
import { NOTHING } from "./use-sessions.ts";

/** The list of sessions, or one of them; returning to the list restores it as it was left. */
export function SessionsView(props: TeamViewProps): JSX.Element {
  const { sessionId } = props.team;
  const left = useRef<LeftList>({ query: EVERYTHING, found: NOTHING, top: 0, opened: null });
  if (sessionId === null) return <SessionList {...props} left={left} />;
  left.current = { ...left.current, opened: sessionId };
  const deleted = (): void => {
    left.current = { ...left.current, found: NOTHING, top: 0 };
  };
  return <SessionPage key={sessionId} {...props} sessionId={sessionId} deleted={deleted} />;
}
