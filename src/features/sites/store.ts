import { type Client, mapRow, type Stored } from "../../core/store/database/client.ts";
import type { Publisher, Site, SiteVersion } from "./site.ts";

/** A version as it is added to the database. */
export interface NewVersion extends Pick<SiteVersion, "directory" | "files" | "bytes" | "by"> {
  readonly name: string;
  readonly channelKey: string;
  readonly key: string;
}

export interface ServedSite extends Site {
  readonly served: SiteVersion;
}

export function siteReads(db: Client) {
  return {
    async get(name: string): Promise<Site | null> {
      return mapRow(await db.site.findUnique({ where: { name } }), toSite);
    },

    async served(name: string): Promise<ServedSite | null> {
      const row = await db.site.findUnique({ where: { name } });
      if (row === null) return null;
      const where = { siteName_number: { siteName: name, number: row.version } };
      const version = await db.siteVersion.findUnique({ where });
      return version === null ? null : { ...toSite(row), served: toVersion(version) };
    },

    async ofChannel(channelKey: string): Promise<Site[]> {
      return (await db.site.findMany({ where: { channelId: channelKey }, orderBy: { name: "asc" } })).map(toSite);
    },

    /** Newest first. */
    async versions(names: readonly string[]): Promise<(SiteVersion & { readonly name: string })[]> {
      const rows = await db.siteVersion.findMany({
        where: { siteName: { in: [...names] } },
        orderBy: { number: "desc" },
      });
      return rows.map((row) => ({ ...toVersion(row), name: row.siteName }));
    },

    /** The version that a publication made; null if it was not completed. */
    async published(key: string): Promise<SiteVersion | null> {
      return mapRow(await db.siteVersion.findUnique({ where: { key } }), toVersion);
    },

    /** The folders of all copies. */
    async directories(): Promise<string[]> {
      return (await db.siteVersion.findMany({ select: { directory: true } })).map(({ directory }) => directory);
    },
  };
}

export function siteWrites(db: Client) {
  return {
    ...siteReads(db),

    /** Adds a version and serves it from now on. */
    async add({ name, channelKey, by, ...version }: NewVersion, at: number): Promise<SiteVersion> {
      const newest = await db.siteVersion.findFirst({ where: { siteName: name }, orderBy: { number: "desc" } });
      const number = (newest?.number ?? 0) + 1;
      const createdAt = new Date(at);
      const row = { ...version, siteName: name, number, byId: by.id, byName: by.name, createdAt };
      const added = await db.siteVersion.create({ data: row });
      const owner = { ownerId: by.id, ownerName: by.name };
      await db.site.upsert({
        where: { name },
        create: { name, channelId: channelKey, version: number, ...owner, createdAt },
        update: { version: number },
      });
      return toVersion(added);
    },

    async serve(name: string, version: number): Promise<void> {
      await db.site.update({ where: { name }, data: { version } });
    },

    async protect(name: string, passwordHash: string | null): Promise<void> {
      await db.site.update({ where: { name }, data: { passwordHash } });
    },

    async forgetVersions(name: string, numbers: readonly number[]): Promise<void> {
      await db.siteVersion.deleteMany({ where: { siteName: name, number: { in: [...numbers] } } });
    },

    async remove(name: string): Promise<void> {
      await db.siteVersion.deleteMany({ where: { siteName: name } });
      await db.site.deleteMany({ where: { name } });
    },
  };
}

function toSite({ name, channelId, version, passwordHash, ownerId, ownerName }: Stored<"Site">): Site {
  const owner: Publisher = { id: ownerId, name: ownerName };
  return { name, channelKey: channelId, version, passwordHash, owner };
}

function toVersion({ number, directory, files, bytes, byId, byName, createdAt }: Stored<"SiteVersion">): SiteVersion {
  return { number, directory, files, bytes, by: { id: byId, name: byName }, createdAt: createdAt.getTime() };
}
