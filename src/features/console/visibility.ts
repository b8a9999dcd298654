import { cacheAnswers } from "../../core/answer-cache.ts";
import { ownId } from "../../core/events/event-key.ts";
import { channelOf, type Person, type ThreadRef } from "../../core/platform/thread.ts";
import type { TeamSessions } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import type { ChannelRow, ThreadRow } from "./store.ts";

export type Viewer = Parameters<TeamSessions["choices"]>[0];

export interface Visibility {
  /** Whether the viewer sees everything, including private channels. */
  seesAll(viewer: Viewer): boolean;
  seesChannel(viewer: Viewer, channel: ChannelRow): Promise<boolean>;
  sees(viewer: Viewer, place: Place): Promise<boolean>;
  /** The viewer's linked person, as the session's platform knows them now; null if none of them may look there. */
  actor(viewer: Viewer, place: Place): Promise<Person | null>;
}

/** The channel and thread of a session. */
export type Place = Pick<ThreadRow, "channel" | "thread">;

export type VisibilityOptions = Pick<
  FeatureHost,
  "describe" | "canSeeChannel" | "memberOf" | "membershipOf" | "serves"
> & {
  readonly clock: { now(): number };
  readonly adminsSeePrivate: boolean;
};

/** How long an answer about a person is cached, in milliseconds. The core has its own cache for channels. */
const CACHE_MS = 60_000;
const CACHE_SIZE = 5_000;

/** Decides who sees what: whoever sees it on its platform, as one of the people linked to the account. */
export function createVisibility(options: VisibilityOptions): Visibility {
  const { describe, canSeeChannel, memberOf, membershipOf, serves, clock, adminsSeePrivate } = options;
  // Only positive answers are cached, so that a person who gains access is not kept waiting.
  const cache = { forMs: CACHE_MS, most: CACHE_SIZE, isLasting: Boolean, clock };
  const memberIn = cacheAnswers(async (id: string, thread: ThreadRef) => {
    const member = (await memberOf(thread, id)) ?? null;
    return member !== null && serves(member) ? member : null;
  }, cache);
  // A thread may have fewer members than its channel.
  const isInThread = cacheAnswers(
    async (id: string, thread: ThreadRef) => (await membershipOf(thread, id))?.isMember === true,
    cache,
  );

  const seesAll = (viewer: Viewer): boolean =>
    viewer.kind === "operator" || (adminsSeePrivate && viewer.account.role === "admin");

  const inChannel = async (viewer: Viewer, channel: ThreadRef): Promise<readonly Person[]> => {
    const platform = describe(channel.platform);
    if (platform.isOwn) {
      if (viewer.kind === "operator") return [operatorOn(platform.name)];
      return platform.isDirect(channel) ? [] : [viewer.account.person];
    }
    const linked = viewer.kind === "operator" ? [] : viewer.account.person.roles;
    const found = await Promise.all(
      linked
        .filter((id) => id.startsWith(`${platform.name}:`))
        .map(async (id) => {
          if (!(await canSeeChannel(channel, { id }))) return null;
          return memberIn(id, channel).catch(() => null);
        }),
    );
    return found.filter((person) => person !== null);
  };

  const actor: Visibility["actor"] = async (viewer, { channel, thread }) => {
    const people = await inChannel(viewer, channelOf(channel.id, thread.workspaceId));
    const { hasPrivateThreads } = describe(thread.platform);
    if (hasPrivateThreads !== true || thread.threadId === null) return people[0] ?? null;
    for (const person of people) if (await isInThread(person.id, thread).catch(() => false)) return person;
    return null;
  };

  return {
    seesAll,
    actor,
    sees: async (viewer, place) => seesAll(viewer) || (await actor(viewer, place)) !== null,
    seesChannel: async (viewer, { id, workspaceId }) => {
      if (seesAll(viewer)) return true;
      return (await inChannel(viewer, channelOf(id, ownId(workspaceId)))).length > 0;
    },
  };
}

/** The person who holds the page's key on this machine. */
export function operatorOn(platform: string): Person {
  return { id: `${platform}:local`, name: "operator", isBot: false, isGuest: false, isExternal: false, roles: [] };
}
