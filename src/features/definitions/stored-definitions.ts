import { textsIn } from "../../core/agents/page-definitions.ts";
import type { FeatureHost } from "../../feature-host.ts";

export const KINDS = ["agent", "skill", "instructions"] as const;
export type Kind = (typeof KINDS)[number];

type Revisions = FeatureHost["store"]["revisions"];
export type StoredRevision = Awaited<ReturnType<Revisions["newestOf"]>>[number];

export interface Change {
  readonly kind: Kind;
  readonly name: string;
  /** Null takes back what was set. */
  readonly content: string | null;
  /** Number of the revision that the author has seen; 0 for none. */
  readonly after: number;
  readonly by: string;
}

/** Saved, or refused because of a newer revision than the one that the author has seen. */
export type ChangeResult =
  | { readonly type: "saved"; readonly number: number }
  | { readonly type: "conflict"; readonly newest: StoredRevision | null };

export interface StoredDefinitions {
  /** The newest revision, even if it takes something back; null if nothing was ever set. */
  newest(kind: Kind, name: string): StoredRevision | null;
  /** Names with a text set on the page. */
  names(kind: Kind): readonly string[];
  change(change: Change): Promise<ChangeResult>;
  /** Reads what other processes have set. */
  readonly refresh: () => Promise<void>;
}

/** Keeps the newest revisions in memory and hands them to the program. */
export function createStoredDefinitions({
  store,
  runtime,
  definitions,
  changed = () => {},
}: Pick<FeatureHost, "store" | "runtime" | "definitions"> & { readonly changed?: () => void }): StoredDefinitions {
  const newest: Readonly<Record<Kind, Map<string, StoredRevision>>> = {
    agent: new Map(),
    skill: new Map(),
    instructions: new Map(),
  };
  const sets = { agent: definitions.agents, skill: definitions.skills, instructions: definitions.instructions };
  let count = 0;

  const publish = (kind: Kind): void => {
    sets[kind].set(textsIn(newest[kind].values()));
  };
  /** Ignores a revision older than the one in memory, since it may have been read before a later change. */
  const take = (kind: Kind, revision: StoredRevision): void => {
    if ((newest[kind].get(revision.name)?.number ?? 0) < revision.number) newest[kind].set(revision.name, revision);
  };

  return {
    newest: (kind, name) => newest[kind].get(name) ?? null,
    names: (kind) => [...textsIn(newest[kind].values()).keys()],

    async change({ kind, after, ...change }) {
      const revision = { ...change, kind, at: runtime.clock.now() };
      const id = runtime.ids.next("rev");
      const revised = await store.transaction((tx) => tx.revisions.add(id, after, revision));
      const now = revised.type === "saved" ? revised.revision : revised.newest;
      if (now !== null) take(kind, now);
      publish(kind);
      if (revised.type === "saved") changed();
      return revised.type === "saved" ? { type: "saved", number: revised.revision.number } : revised;
    },

    async refresh() {
      const now = await store.revisions.count();
      if (now === count) return;
      for (const kind of KINDS) {
        for (const revision of await store.revisions.newestOf(kind)) take(kind, revision);
        publish(kind);
      }
      count = now;
    },
  };
}
