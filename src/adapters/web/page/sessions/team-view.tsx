import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLazyView } from "../section/use-lazy-view.ts";
import type { TeamViewProps } from "./team-view-props.ts";

const loadSessions = async () => (await import("./sessions-view.tsx")).SessionsView;

/** Sessions of all platforms; the code is loaded on first use. */
export function TeamView(props: TeamViewProps): JSX.Element {
  const { View, words } = useLazyView(loadSessions, props.state);
  // However one has come to another session, or back to the list, it is what a narrow screen shows.
  const { show, team } = props;
  useEffect(() => show("thread"), [team.sessionId]);
  if (View !== null) return <View {...props} />;
  return (
    <main class="thread team">
      <p class="hint centred">{words}</p>
    </main>
  );
}
