import type { FeatureHost, OpenFeature, TeamSessions } from "../../feature.ts";
import { choicesFor, listSessions } from "./list.ts";
import { createLive } from "./live.ts";
import { pressButton } from "./press.ts";
import { showSession } from "./session.ts";
import { createSight } from "./sight.ts";

export interface Sessions extends TeamSessions {
  /** What happens in a run. */
  readonly note: NonNullable<OpenFeature["watchRun"]>;
}

/** Sessions of all platforms for the page; nothing of it carries a secret of the program's own, or of a file. */
export function createSessions(host: FeatureHost, { adminsSeePrivate }: { adminsSeePrivate: boolean }): Sessions {
  const sight = createSight({ ...host, clock: host.runtime.clock, adminsSeePrivate });
  const world = { host, sight };
  const { watch, note } = createLive(world);
  return {
    list: async (viewer, query) => host.hideIn(await listSessions(viewer, query, world)),
    choices: async (viewer) => host.hideIn(await choicesFor(viewer, world)),
    session: async (viewer, id) => host.hideIn(await showSession(viewer, id, world)),
    press: async (viewer, press) => host.hideIn(await pressButton(viewer, press, world)),
    watch,
    note,
  };
}
