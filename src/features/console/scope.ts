import type { FeatureHost } from "../../feature-host.ts";
import type { Sight } from "./sight.ts";

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
  readonly sight: Sight;
  /** Sessions whose rows cannot be read and about which the log has been told. */
  readonly unreadable: Set<string>;
}
