import { hash } from "node:crypto";
import type { ThreadRef } from "../../core/protocol/platform.ts";
import { type NewMemory, ORIGINS, type Origin } from "./memory.ts";

/** Where somebody asks, and who; null where nobody does, as in a job. */
export interface Reader {
  readonly channelKey: string;
  /** `slack:T1` */
  readonly workspace: string;
  readonly personId: string | null;
}

/** Somebody in a thread of a channel. */
export function readerIn(thread: ThreadRef, channelKey: string, personId: string | null): Reader {
  return { channelKey, workspace: workspaceOf(thread), personId };
}

/** Empty for what was told in no thread. */
export function workspaceOf(thread: ThreadRef | null): string {
  return thread === null ? "" : `${thread.platform}:${thread.workspaceId}`;
}

/** Characters of a word that stands for an audience: enough that no two of them meet. */
const HASH_CHARS = 16;

/**
 * The words of the index by which those who may read a memory find it. What was told in private stays where it was told;
 * what an open channel knows, its workspace knows.
 */
export function audienceWords(
  told: Pick<NewMemory, "scope" | "isPrivate" | "channelKey" | "workspace" | "origin">,
): string[] {
  const { scope, isPrivate, channelKey, workspace, origin } = told;
  const isOfPerson = scope.startsWith("person:");
  const names = isPrivate && isOfPerson ? [`${scope} in ${channelKey}`] : [scope];
  if (!isPrivate && scope.startsWith("channel:")) names.push(`workspace:${workspace}`);
  return names.map((name) => scopeWord(name, origin));
}

/** The words by which a reader finds what it may read. */
export function readerWords({ channelKey, workspace, personId }: Reader, origins = ORIGINS): string[] {
  const person = personId === null ? [] : [`person:${personId}`, `person:${personId} in ${channelKey}`];
  const names = [`channel:${channelKey}`, `workspace:${workspace}`, ...person];
  return origins.flatMap((origin) => names.map((name) => scopeWord(name, origin)));
}

/** The word by which all of one scope is found. */
export function scopeWord(name: string, origin: Origin): string {
  const digest = hash("sha256", name).slice(0, HASH_CHARS);
  return `${origin === "people" ? "x" : "y"}${digest}`;
}
