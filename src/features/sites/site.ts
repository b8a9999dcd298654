/** Bounds of one site. */
export interface SiteLimits {
  readonly files: number;
  readonly bytes: number;
}

/** Who publishes, by the platform's id. */
export interface Publisher {
  readonly id: string;
  readonly name: string;
}

export interface Site {
  readonly name: string;
  /** `slack:C1`: where it was published, and where alone a version may be added. */
  readonly channelKey: string;
  /** The version that is served. */
  readonly version: number;
  /** Null: no password is asked for. */
  readonly passwordHash: string | null;
  readonly owner: Publisher;
}

export interface SiteVersion {
  readonly number: number;
  /** The folder of its copy, beneath the directory of all sites. */
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
  readonly by: Publisher;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

export function isSiteName(name: string): boolean {
  return NAME.test(name);
}

export const NAME_RULE = "A site's name has 1 to 63 small letters, digits and hyphens, such as `release-notes`.";

const UNITS = ["bytes", "KB", "MB", "GB"];

/** `1 byte`, `12.3 MB`. */
export function sizeText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  const power = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** power;
  return `${power === 0 ? amount : Number(amount.toFixed(1))} ${UNITS[power]}`;
}

/** `1 file`, `12 files`. */
export function filesText(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}
