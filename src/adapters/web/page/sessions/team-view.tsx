import type { JSX } from "preact";
import { useLazyView } from "../section/use-lazy-view.ts";
import type { SessionsViewProps } from "./sessions-view.tsx";

const loadSessions = async () => (await import("./sessions-view.tsx")).SessionsView;

/** Sessions of all platforms; the code is loaded on first use. */
export function TeamView(props: SessionsViewProps): JSX.Element {
  const { View, words } = useLazyView(loadSessions, props.state);
  if (View !== null) return <View {...props} />;
  return (
    <main class="thread team">
      <p class="hint centred">{words}</p>
    </main>
  );
}
