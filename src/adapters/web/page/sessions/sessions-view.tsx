import type { JSX } from "preact";
import { SessionList } from "./session-list.tsx";
import { SessionPage } from "./session-page.tsx";
import type { TeamViewProps } from "./team-view-props.ts";

/** The list of sessions, or one of them. */
export function SessionsView(props: TeamViewProps): JSX.Element {
  const { sessionId } = props.team;
  return sessionId === null ? (
    <SessionList {...props} />
  ) : (
    <SessionPage key={sessionId} {...props} sessionId={sessionId} />
  );
}
