import type { Config } from "./resolve.ts";

/** Permissive settings, which are not mistakes, but are reported at every start. */
export function openSettings(config: Config): string[] {
  return [
    ...openModes(config),
    ...openHosts(config),
    ...openAccess(config),
    ...exposureWarnings(config),
    ...unconfined(config),
    ...adminWarnings(config),
    ...noTimezone(config),
  ];
}

function openModes({ query, allowedHosts, channels }: Config): string[] {
  if (query.mode === "agi" && allowedHosts.includes("*"))
    return [
      'mode, allowedHosts: in mode agi with ["*"], nobody is asked for anything, and every public host can be read.',
    ];
  const own = Object.entries(channels).filter(([, { mode }]) => mode === "agi" && query.mode !== "agi");
  const named = [...(query.mode === "agi" ? ["mode"] : []), ...own.map(([id]) => `channels.${id}.mode`)];
  return named.map((name) => `${name}: in mode agi, nobody is asked before anything is changed or run.`);
}

function openHosts({ query, allowedHosts, sinks }: Config): string[] {
  return [
    ...(allowedHosts.includes("*") && query.mode !== "agi"
      ? ['allowedHosts: with ["*"], every public host can be read without asking.']
      : []),
    ...sinks
      .filter(({ host, send }) => host.startsWith("*.") && send === "files")
      .map(({ host }) => `allowedHosts: files can be sent to any host under ${host.slice(2)} without asking.`),
  ];
}

function openAccess({ access, approvals }: Config): string[] {
  const isForAll = access.allow === undefined && access.guests && access.external;
  // On Discord, everybody on a server has the role with the server's id.
  const everybody = (access.workspaces ?? []).map((id) => id.replace(":", ":role:"));
  const inAll = (setting: string, named: readonly string[]) =>
    named
      .filter((id) => everybody.includes(id))
      .map((id) => `${setting}: ${id} is everybody on that server, whoever they are.`);
  return [
    ...(isForAll ? ["access: guests and people from other workspaces are served, whoever they are."] : []),
    ...inAll("access.admins", access.admins),
    ...inAll("approvals.approvers", approvals.approvers),
  ];
}

function unconfined({ confinement }: Config): string[] {
  return confinement === "off"
    ? ["confinement: is off, so the operating system does not restrict the sandbox's process."]
    : [];
}

/** A page or a terminal has a single person, who need not be named; a workspace has many. */
function adminWarnings({ slack, discord, access }: Config): string[] {
  const example = slack === null ? "discord:<id>" : "slack:U…";
  if ((slack === null && discord === null) || access.admins.length > 0) return [];
  return [`access.admins: there are no admins. Add \`"access": { "admins": ["${example}"] }\` to the settings file.`];
}

const LOOPBACK = /^(?:localhost$|127\.|\[?::1\]?$)/u;

/** Warnings about a page that is reachable from other machines. */
function exposureWarnings({ web: { host, url, trustProxy } }: Config): string[] {
  if (url === null && LOOPBACK.test(host)) return [];
  const isOpen = url?.startsWith("https:") !== true;
  return [...(isOpen ? [UNENCRYPTED] : []), ...(url !== null && trustProxy.length === 0 ? [ONE_VISITOR] : [])];
}

const UNENCRYPTED =
  "HOST, web.url: passwords are sent over the network unencrypted. Put a TLS proxy in front of the page, and set web.url to its https:// address.";

const ONE_VISITOR =
  "web.trustProxy: the proxy's address is not set, so everybody who signs in looks like the same visitor, and one person's wrong passwords make the others wait.";

/** The system's time zone, from TZ or /etc/localtime; null if it is not a valid one. */
export function systemTimezone(): string | null {
  const { timeZone }: { timeZone?: string } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone ?? null;
}

function noTimezone({ jobs }: Config): string[] {
  if (jobs.timezone !== undefined || systemTimezone() !== null) return [];
  return [
    "jobs.timezone: the system has no valid time zone (TZ), so jobs use UTC. Set jobs.timezone, for example to Europe/Paris.",
  ];
}
