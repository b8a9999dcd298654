/**
 * Everything that one call may reach and use. The same value is enforced by the sandbox, shown by approval cards and
 * `/tools`, and logged with the call.
 */
export interface Capabilities {
  /** Access to the files of the sandbox root. */
  readonly files: "none" | "read" | "write";
  /** Host patterns, as in `allowedHosts`; no network if empty. */
  readonly hosts: readonly string[];
  readonly clock: boolean;
  /** Limit in wall-clock time. */
  readonly timeoutMs: number;
  /** Null if the program does the work itself, without a memory limit of its own. */
  readonly memoryMb: number | null;
  /** Maximum size of the output, in bytes. */
  readonly outputBytes: number;
}

/** Where a call would run. */
export interface CapabilityContext {
  readonly readOnly: boolean;
  readonly allowedHosts: readonly string[];
}

/** Maximum number of hosts that a list of tools names; the rest are only counted. */
const LISTED_HOSTS = 3;

/** Text for an approval card, with every host: `may change files in the sandbox of this channel · no network`. */
export function capabilitiesText(capabilities: Capabilities): string {
  const { files } = capabilities;
  const where = "in the sandbox of this channel";
  const touched = { none: "no files", read: `may read files ${where}`, write: `may change files ${where}` }[files];
  return [touched, ...boundsOf(capabilities, capabilities.hosts.length)].join(" · ");
}

/** Text for a list of tools: `changes files · no network · 60 s · 256 MB`. */
export function capabilitiesSummary(capabilities: Capabilities): string {
  const touched = { none: "no files", read: "reads files", write: "changes files" }[capabilities.files];
  return [touched, ...boundsOf(capabilities, LISTED_HOSTS)].join(" · ");
}

function boundsOf({ hosts, timeoutMs, memoryMb }: Capabilities, shownHosts: number): string[] {
  return [networkOf(hosts, shownHosts), `${timeoutMs / 1_000} s`, ...(memoryMb === null ? [] : [`${memoryMb} MB`])];
}

function networkOf(hosts: readonly string[], shown: number): string {
  if (hosts.length === 0) return "no network";
  if (hosts.includes("*")) return "every public host";
  const more = hosts.length - shown;
  return `${hosts.slice(0, shown).join(", ")}${more > 0 ? ` and ${more} more hosts` : ""}`;
}
