import type { Team } from "../state/state.ts";
import type { ThreadViewProps } from "../thread/thread-view.tsx";

export interface TeamViewProps extends Omit<ThreadViewProps, "title"> {
  readonly team: Team;
}
