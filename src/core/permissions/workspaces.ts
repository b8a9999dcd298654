import { cacheAnswers } from "../answer-cache.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { InboundEvent } from "../platform/inbound.ts";
import type { PlatformName, ThreadRef } from "../platform/thread.ts";
import type { Log } from "../protocol/log.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import type { AccessRules } from "./access.ts";
import type { MemberOf } from "./members.ts";

export interface WorkspaceOptions {
  readonly store: Store;
  readonly access: Pick<AccessRules, "workspaces">;
  readonly platforms: ReadonlyMap<PlatformName, Pick<ChatPlatform, "workspaces">>;
  readonly memberOf: MemberOf;
  readonly clock: Clock;
  readonly log: Log;
}

type EventSource = Pick<InboundEvent, "workspace" | "thread" | "channel" | "person">;

/** Why an event's workspace is not served, in words; null if it is. */
export type WorkspaceRefusalOf = (event: EventSource) => Promise<string | null>;

export interface Workspaces {
  readonly refusalOf: WorkspaceRefusalOf;
  /** Records the workspaces of the platform's first start. To be called once it has connected. */
  begin(platform: PlatformName): Promise<void>;
}

/** How long an author of direct messages is remembered as sharing a served workspace. Milliseconds. */
const CACHED_MS = 10 * 60_000;
const MAX_CACHED = 2_000;

/**
 * Which workspaces are served. Anybody can add a public Discord app to their own server. So unless the settings name
 * workspaces of a platform, only those present at its first start are served, and the operator is warned about later
 * ones.
 */
export function createWorkspaces(options: WorkspaceOptions): Workspaces {
  const { access, platforms, clock } = options;
  const served = new Map<PlatformName, Promise<Set<string>>>();

  const servedOn = (platform: PlatformName): Promise<ReadonlySet<string>> => {
    const named = access.workspaces?.filter((id) => id.startsWith(`${platform}:`)) ?? [];
    if (named.length > 0) return Promise.resolve(new Set(named));
    const known = served.get(platform) ?? recordedOn(platform, options);
    served.set(platform, known);
    known.then(
      // The bot is in no workspace yet, so the first one it is added to will be recorded.
      (ids) => ids.size === 0 && served.delete(platform),
      () => served.delete(platform),
    );
    return known;
  };
  const sharesOne = cacheAnswers(
    async (thread: ThreadRef, personId: string) => {
      return isInOne(thread, personId, { ...options, ids: await servedOn(thread.platform) });
    },
    { forMs: CACHED_MS, most: MAX_CACHED, clock },
  );
  /** Somebody whose membership cannot be determined counts as a stranger until they write again. */
  const isColleague = ({ thread, person }: EventSource) => sharesOne(thread, person.id).catch(() => false);

  return {
    async refusalOf(event) {
      const { platform } = event.thread;
      const present = platforms.get(platform)?.workspaces?.();
      if (present === undefined) return null;
      const ids = await servedOn(platform);
      const id = `${platform}:${event.workspace.id}`;
      if (ids.has(id)) return null;
      // A direct message belongs to no workspace, or to the person's.
      if (event.channel.kind === "dm" && !present.has(event.workspace.id)) {
        return (await isColleague(event)) ? null : "I only answer people from servers I work in.";
      }
      await noteStranger(event, options);
      return `I do not work in this workspace yet. An operator can add it (\`access.workspaces\`: \`${id}\`).`;
    },
    async begin(platform) {
      if (platforms.get(platform)?.workspaces !== undefined) await servedOn(platform);
    },
  };
}

/** The recorded workspaces of the first start, which are recorded now if there are none yet. */
async function recordedOn(
  platform: PlatformName,
  { store, platforms, clock, log }: WorkspaceOptions,
): Promise<Set<string>> {
  const known = (await store.knownWorkspaces.of(platform)).filter(({ isServed }) => isServed);
  if (known.length > 0) return new Set(known.map(({ id }) => id));
  const present = [...(platforms.get(platform)?.workspaces?.() ?? [])];
  const first = present.map(([id, name]) => ({ id: `${platform}:${id}`, name, isServed: true }));
  await store.transaction(async (tx) => {
    for (const workspace of first) await tx.knownWorkspaces.add(platform, workspace, clock.now());
  });
  if (first.length > 0) log.info({ platform, workspaces: first }, "workspaces_recorded");
  return new Set(first.map(({ id }) => id));
}

async function noteStranger(
  { workspace, thread }: EventSource,
  { store, clock, log }: WorkspaceOptions,
): Promise<void> {
  const { platform } = thread;
  const id = `${platform}:${workspace.id}`;
  if ((await store.knownWorkspaces.of(platform)).some((known) => known.id === id)) return;
  log.warn({ workspace: id, name: workspace.name, setting: "access.workspaces" }, "workspace_not_served");
  const stranger = { id, name: workspace.name, isServed: false };
  await store.transaction((tx) => tx.knownWorkspaces.add(platform, stranger, clock.now()));
}

/** Whether the person is in one of the workspaces. Rejects if none is known to have them and one cannot be asked. */
async function isInOne(
  thread: ThreadRef,
  personId: string,
  { ids, memberOf }: Pick<WorkspaceOptions, "memberOf"> & { readonly ids: ReadonlySet<string> },
): Promise<boolean> {
  const unknown: unknown[] = [];
  for (const id of ids) {
    const workspaceId = id.slice(thread.platform.length + 1);
    try {
      const member = await memberOf({ ...thread, workspaceId, threadId: null }, personId);
      if (member !== null && member !== undefined) return true;
    } catch (error) {
      unknown.push(error);
    }
  }
  if (unknown.length > 0) throw unknown[0];
  return false;
}
