import type { Controller } from "../state/controller.ts";
import type { PageState } from "../state/state.ts";

export interface SectionProps {
  readonly state: PageState;
  readonly controller: Controller;
  /** Milliseconds since the epoch, once a minute. */
  readonly now: number;
  /** The section's own part of the address: `#/audit/<rest>`. */
  readonly rest: string;
  /** Goes elsewhere in the section. */
  readonly go: (rest: string) => void;
}
