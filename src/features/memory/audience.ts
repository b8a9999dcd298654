import { hash } from "node:crypto";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { type NewMemory, ORIGINS, type Origin } from "./memory.ts";

/** The place of a question, and the person who asks; `personId` is null if nobody does, as in a job. */
export interface Reader {
  readonly channelKey: string;
  /** `slack:T1` */
  readonly workspace: string;
  readonly personId: string | null;
}

/** The reader for a person in a thread of a channel. */
export function readerIn(thread: ThreadRef, channelKey: string, personId: string | null): Reader {
  return { channelKey, workspace: workspaceOf(thread), personId };
}

/** The workspace of a thread; empty if there is no thread. */
export function workspaceOf(thread: ThreadRef | null): string {
  return thread === null ? "" : `${thread.platform}:${thread.workspaceId}`;
}

/** Characters of the hash that stands for an audience, enough to avoid collisions. */
const HASH_CHARS = 16;

/**
 * The index words by which an audience finds a memory. What was told in private stays where it was told; what was told
 * in an open channel is known in the whole workspace.
 */
export function audienceWords(
  memory: Pick<NewMemory, "scope" | "isPrivate" | "channelKey" | "workspace" | "origin">,
): string[] {
  const { scope, isPrivate, channelKey, workspace, origin } = memory;
  const isOfPerson = scope.startsWith("person:");
  const names = isPrivate && isOfPerson ? [`${scope} in ${channelKey}`] : [scope];
  if (!isPrivate && scope.startsWith("channel:")) names.push(`workspace:${workspace}`);
  return names.map((name) => scopeWord(name, origin));
}

/** The index words of everything that a reader may read. */
export function readerWords({ channelKey, workspace, personId }: Reader, origins = ORIGINS): string[] {
  const person = personId === null ? [] : [`person:${personId}`, `person:${personId} in ${channelKey}`];
  const names = [`channel:${channelKey}`, `workspace:${workspace}`, ...person];
  return origins.flatMap((origin) => names.map((name) => scopeWord(name, origin)));
}

export function scopeWord(name: string, origin: Origin): string {
  const digest = hash("sha256", name).slice(0, HASH_CHARS);
  return `${origin === "people" ? "x" : "y"}${digest}`;
}
