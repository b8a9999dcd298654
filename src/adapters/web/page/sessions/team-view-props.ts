import type { Column } from "../column.ts";
import type { Controller } from "../state/controller.ts";
import type { PageState, Team } from "../state/state.ts";

export interface TeamViewProps {
  readonly state: PageState;
  readonly team: Team;
  readonly controller: Controller;
  readonly now: number;
  readonly show: (column: Column) => void;
}
