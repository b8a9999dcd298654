export interface SiteLimits {
  readonly files: number;
  readonly bytes: number;
}

/** Who publishes, with the platform's id. */
export interface Publisher {
  readonly id: string;
  readonly name: string;
}

export interface Site {
  readonly name: string;
  /** The channel where it was published, `slack:C1`; only there can versions be added. */
  readonly channelKey: string;
  /** The version being served. */
  readonly version: number;
  /** Null if visitors need no password. */
  readonly passwordHash: string | null;
  readonly owner: Publisher;
}

export interface SiteVersion {
  readonly number: number;
  /** The folder of its copy, below the directory of all sites. */
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
  readonly by: Publisher;
  readonly createdAt: number;
}

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

export function isSiteName(name: string): boolean {
  return NAME.test(name);
}

export const NAME_RULE = "A site's name has 1 to 63 lower-case letters, digits and hyphens, such as `release-notes`.";
