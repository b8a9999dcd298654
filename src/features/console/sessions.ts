import type { FeatureAnswer, FeatureRequest, OpenFeature, SeenChannel, TeamSessions } from "../../feature.ts";
import { answerTo, type ConsoleRoute } from "./answers.ts";
import { changeOf } from "./changes.ts";
import { placeIn } from "./command.ts";
import { choicesFor, listSessions, visibleChannels } from "./list.ts";
import { createLive, type LiveScope } from "./live.ts";
import type { OverviewScope } from "./overview/overview.ts";
import { pressButton } from "./press.ts";
import type { ConsoleScope } from "./scope.ts";
import { showSession } from "./session.ts";
import { createVisibility, type Viewer, type VisibilityOptions } from "./visibility.ts";

export interface Sessions extends TeamSessions {
  readonly answer: (route: ConsoleRoute, request: FeatureRequest) => Promise<FeatureAnswer>;
  /** Takes an event of a run. */
  readonly note: NonNullable<OpenFeature["watchRun"]>;
  readonly gone: NonNullable<OpenFeature["sessionsGone"]>;
}

type Host = ConsoleScope["host"] & Omit<VisibilityOptions, "clock" | "adminsSeePrivate">;

type Given = Pick<VisibilityOptions, "adminsSeePrivate"> &
  Pick<OverviewScope, "health"> &
  Pick<LiveScope, "streamed" | "relay">;

/** The sessions of all platforms, for the page. Secrets of the program and from files are masked. */
export function createSessions(host: Host, { adminsSeePrivate, health, streamed, relay }: Given): Sessions {
  const visibility = createVisibility({ ...host, clock: host.runtime.clock, adminsSeePrivate });
  const world = { host, visibility, unreadable: new Set<string>() };
  const { watch, note, gone } = createLive({ ...world, streamed, relay });
  return {
    list: async (viewer, query) => host.hideIn(await listSessions(viewer, query, world)),
    choices: async (viewer) => host.hideIn(await choicesFor(viewer, world)),
    session: async (viewer, id) => host.hideIn(await showSession(viewer, id, world)),
    change: async (viewer, asked) => host.hideIn(await changeOf(viewer, asked, world)),
    press: async (viewer, press) => host.hideIn(await pressButton(viewer, press, world)),
    channels: (viewer, ids) => seenChannels(viewer, ids, world),
    answer: async (route, request) => host.hideIn(await answerTo(route, request, { ...world, health })),
    watch,
    note,
    gone,
  };
}

async function seenChannels(
  viewer: Viewer,
  ids: readonly string[],
  scope: ConsoleScope,
): Promise<ReadonlyMap<string, SeenChannel>> {
  const seen = (await visibleChannels(viewer, ids, scope)).map(async (channel): Promise<[string, SeenChannel]> => {
    const place = placeIn(channel);
    return [channel.id, { thread: place.thread, person: await scope.visibility.actor(viewer, place) }];
  });
  return new Map(await Promise.all(seen));
}
