import type { FeatureHost } from "../../feature-host.ts";
import type { Visibility } from "./visibility.ts";

/** What the team's pages need. */
export interface ConsoleScope {
  readonly host: Pick<
    FeatureHost,
    | "admins"
    | "approvals"
    | "budgets"
    | "configOf"
    | "describe"
    | "engine"
    | "hideIn"
    | "jobs"
    | "log"
    | "receive"
    | "runtime"
    | "sandboxRootOf"
    | "snapshots"
    | "store"
    | "titleOf"
  >;
  readonly visibility: Visibility;
  /** Sessions whose rows cannot be read and about which the log has been told. */
  readonly unreadable: Set<string>;
}
