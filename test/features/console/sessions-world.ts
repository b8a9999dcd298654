import { z } from "zod";
import type { Person } from "../../../src/core/platform/thread.ts";
import type { Log } from "../../../src/core/protocol/log.ts";
import type { Store } from "../../../src/core/store/store.ts";
import type { TeamOverview, TeamUsage } from "../../../src/feature.ts";
import type { ConsoleRoute } from "../../../src/features/console/answers.ts";
import { createHealthWatch } from "../../../src/features/console/overview/health-watch.ts";
import { createSessions } from "../../../src/features/console/sessions.ts";
import { createStreamedAnswers } from "../../../src/features/console/streamed-answers.ts";
import type { UsageQuery } from "../../../src/features/console/usage/usage.ts";
import type { Viewer } from "../../../src/features/console/visibility.ts";
import { describePlatform } from "../../../src/platforms.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { commandServices } from "../../support/command-services.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import type { SeededSession } from "./seed.ts";

const person = (id: string, also: Partial<Person> = {}): Person => {
  return { id, name: id, isBot: false, isGuest: false, isExternal: false, roles: [], ...also };
};
/** An account whose owner has shown to be these people. */
export const account = (linked: readonly string[], role: "viewer" | "operator" | "admin" = "operator") => {
  const name = linked[0]?.slice(-3).toLowerCase() ?? "nobody";
  return { kind: "account", account: { name, role, person: person(`web:${name}`, { roles: linked }) } } as const;
};

interface WorldOptions {
  readonly store: Store;
  readonly adminsSeePrivate?: boolean;
  readonly serves?: (who: Person) => boolean;
  readonly log?: Log;
}

/** Who is in which channel; `gone`: who has left the workspace. */
export function world({ store, adminsSeePrivate = false, serves = () => true, log = silentLog }: WorldOptions) {
  const members = new Map([
    ["C1", new Set(["slack:U0ANA", "slack:U0BOB"])],
    ["C2", new Set(["slack:U0BOB"])],
    ["D1", new Set(["slack:U0ANA"])],
    ["5", new Set(["discord:1", "discord:2"])],
    ["k.1", new Set(["discord:1"])],
    ["l.1", new Set(["discord:1", "discord:2"])],
  ]);
  const gone = new Set<string>();
  const clock = new ManualClock();
  const platforms = new Map([["slack", { connected: true, detail: "connected" }]]);
  const health = createHealthWatch(() => platforms, clock);
  const streamed = createStreamedAnswers(clock);
  const absent = () => Promise.reject(new Error("nothing asks for it"));
  const sessions = createSessions(
    {
      store,
      describe: describePlatform,
      canSeeChannel: async ({ channelId }, { id }) => members.get(channelId)?.has(id) === true,
      memberOf: async (_thread, id) => (gone.has(id) ? null : person(id)),
      membershipOf: async ({ threadId }, id) => {
        return { isPrivate: true, isMember: members.get(threadId ?? "")?.has(id) === true, canPost: true };
      },
      serves,
      configOf: () => {
        throw new Error("nothing asks for it");
      },
      titleOf: () => "",
      snapshots: "",
      admins: [],
      budgets: { userUsd: 5, dayUsd: 50 },
      sandboxRootOf: () => "",
      approvals: { approvers: [], requester: true, expiresMinutes: 60, admins: [] },
      engine: { deliver: absent, deliverAt: absent, cancel: absent },
      receive: absent,
      jobs: commandServices().jobs,
      runtime: { ...systemRuntime(), clock },
      log,
      hideIn: (value) => value,
    },
    { adminsSeePrivate, health, streamed, relay: null },
  );
  const answer = async (route: ConsoleRoute, viewer: Viewer, query = new URLSearchParams()): Promise<unknown> =>
    (
      await sessions.answer(route, {
        viewer,
        role: "viewer",
        by: "",
        origin: "http://127.0.0.1:3000",
        query,
        body: undefined,
      })
    ).body;
  const usage = async (viewer: Viewer, asked: UsageQuery): Promise<TeamUsage> => {
    const query = new URLSearchParams({ ...asked, days: `${asked.days}` });
    return z.custom<TeamUsage>().parse(await answer("/usage", viewer, query));
  };
  const overview = async (viewer: Viewer): Promise<TeamOverview> =>
    z.custom<TeamOverview>().parse(await answer("/overview", viewer));
  return { sessions, usage, overview, streamed, members, gone, clock, platforms };
}

export const SESSIONS: readonly SeededSession[] = [
  { id: "a", channelKey: "slack:C1", title: "the red boat", outcome: "end_turn", costUsd: 0.5, at: 5 },
  { id: "b", channelKey: "slack:C2", title: "the board's plan", outcome: "end_turn", person: "slack:U0BOB", at: 6 },
  { id: "c", channelKey: "slack:D1", title: "in private", outcome: "cancelled", at: 7 },
  { id: "d", channelKey: "web:team", title: "on the page", outcome: "error", person: "web:ana", at: 8 },
  { id: "e", channelKey: "web:main", title: "at this machine", at: 9 },
  { id: "f", channelKey: "slack:C1", title: "a long one", outcome: "end_turn", agent: "explore", at: 10 },
  { id: "g", channelKey: "slack:C1", title: "child's", outcome: null, costUsd: 2, at: 11, parentId: "f" },
  { id: "h", channelKey: "terminal:main", title: "in a terminal", at: 12 },
];
