/**
 * All that one call may reach and use. One value: the sandbox enforces it, approval cards and `/tools` show it,
 * and the log keeps it with the call.
 */
export interface Capabilities {
  /** What it may do with the files of the sandbox root. */
  readonly files: "none" | "read" | "write";
  /** Patterns of hosts, as in `allowedHosts`; empty: no network. */
  readonly hosts: readonly string[];
  readonly clock: boolean;
  /** Wall clock. */
  readonly timeoutMs: number;
  /** Null where the work is the program's own and has no limit by itself. */
  readonly memoryMb: number | null;
  /** Bytes of what comes back. */
  readonly outputBytes: number;
}

/** Where a call would run. */
export interface CapabilityContext {
  readonly readOnly: boolean;
  readonly allowedHosts: readonly string[];
}

/** Hosts that a list of tools names one by one; more are counted. */
const LISTED_HOSTS = 3;

/** For an approval card, with every host: `may change files in the sandbox of this channel · no network · 60 s · 256 MB`. */
export function reachOf(capabilities: Capabilities): string {
  const { files } = capabilities;
  const where = "in the sandbox of this channel";
  const touched = { none: "no files", read: `may read files ${where}`, write: `may change files ${where}` }[files];
  return [touched, ...boundsOf(capabilities, capabilities.hosts.length)].join(" · ");
}

/** For a list of tools: `changes files · no network · 60 s · 256 MB`. */
export function shortReachOf(capabilities: Capabilities): string {
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
