import type { PlatformName } from "../platform/thread.ts";
import type { Client } from "./database/client.ts";

export interface KnownWorkspace {
  /** `discord:1` */
  readonly id: string;
  readonly name: string;
  readonly isServed: boolean;
}

export function knownWorkspaceReads(db: Client) {
  return {
    async of(platform: PlatformName): Promise<KnownWorkspace[]> {
      const rows = await db.knownWorkspace.findMany({ where: { platform }, orderBy: { at: "asc" } });
      return rows.map(({ id, name, isServed }) => ({ id, name, isServed }));
    },
  };
}

export function knownWorkspaceWrites(db: Client) {
  return {
    ...knownWorkspaceReads(db),

    /** Adds a workspace or renames it; the first `isServed` stays. */
    async add(platform: PlatformName, { id, name, isServed }: KnownWorkspace, at: number): Promise<void> {
      const row = { id, platform, name, isServed, at: new Date(at) };
      await db.knownWorkspace.upsert({ where: { id }, create: row, update: { name } });
    },
  };
}
