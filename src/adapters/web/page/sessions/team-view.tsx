import type { FunctionComponent, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { TeamViewProps } from "./team-view-props.ts";

/** Sessions of all platforms; what shows them is loaded when somebody first asks for it. */
export function TeamView(props: TeamViewProps): JSX.Element {
  const [View, setView] = useState<FunctionComponent<TeamViewProps> | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    import("./sessions-view.tsx").then(
      ({ SessionsView }) => setView(() => SessionsView),
      () => setHasFailed(true),
    );
  }, []);
  // However one has come to another session, or back to the list, it is what a narrow screen shows.
  const { show, team } = props;
  useEffect(() => show("thread"), [team.sessionId]);
  if (View !== null) return <View {...props} />;
  return (
    <main class="thread team">
      <p class="hint centred">{hasFailed ? "This could not be loaded. Reload the page." : "Loading…"}</p>
    </main>
  );
}
