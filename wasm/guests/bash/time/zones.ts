import { zone as hostZone } from "deckhand:sandbox/clock@0.1.0";
import { Refusal } from "../text/command.ts";
import { posixZone } from "./posix-zone.ts";
import type { Zone, ZoneTime } from "./zone.ts";

export const UTC: Zone = () => ({ offset: 0, name: "UTC" });

const DAY_MS = 86_400_000;
/** Clocks are changed at full quarters of an hour only, since 1973. */
const QUARTER_MS = 900_000;
const REGULAR_SINCE_MS = 94_694_400_000;

/** The zone that `TZ` names; throws for one that is not known, which C's library silently takes for UTC. */
export function zoneOf(tz: string | undefined): Zone {
  const name = (tz ?? "").replace(/^:/, "").replace(/^\/usr\/share\/zoneinfo\//, "");
  if (/^(?:Etc\/)?(?:UTC|UCT|Zulu|Universal)$|^$/.test(name)) return UTC;
  const found = (hostZone(name, 0) ?? null) === null ? posixZone(name) : namedZone(name);
  if (found === null) throw new Refusal(`no time zone ${name} is known here`);
  return found;
}

/** The zone of a command, which its environment names. */
export function zoneOfCommand({ exportedEnv }: { exportedEnv?: Readonly<Record<string, string>> }): Zone {
  return zoneOf(exportedEnv?.["TZ"]);
}

/** A zone of the time zone database, about which the host is asked once for each quarter of an hour. */
function namedZone(name: string): Zone {
  const known = new Map<number, ZoneTime>();
  const ask = (ms: number) => hostZone(name, ms) ?? UTC(ms);
  return (ms) => {
    if (ms < REGULAR_SINCE_MS) return ask(ms);
    const quarter = Math.floor(ms / QUARTER_MS);
    const time = known.get(quarter) ?? ask(ms);
    known.set(quarter, time);
    return time;
  };
}

/** A moment as the zone's clocks show it: the UTC fields of the date hold the local time. */
export function wallTime(zone: Zone, ms: number): Date {
  return new Date(ms + zone(ms).offset * 1000);
}

/**
 * The moment at which the zone's clocks show a time, given as that time in UTC; null if clocks skip the time. Of two such
 * moments, when clocks are set back, the one that C's library finds: it searches from the same time in UTC on, so finds
 * the earlier one in the west, and the later one in the east.
 */
export function momentAt(zone: Zone, wallMs: number): number | null {
  for (const at of [wallMs, wallMs + DAY_MS, wallMs - DAY_MS]) {
    const found = momentWith(zone, wallMs, zone(at));
    if (found !== null) return found;
  }
  return null;
}

/** The same, but of a time that clocks skip, the moment if they were not set forward. */
export function momentOfAny(zone: Zone, wallMs: number): number {
  return momentAt(zone, wallMs) ?? wallMs - zone(wallMs - DAY_MS).offset * 1000;
}

function momentWith(zone: Zone, wallMs: number, { offset }: ZoneTime): number | null {
  const ms = wallMs - offset * 1000;
  return zone(ms).offset === offset ? ms : null;
}

/** An offset as `+0100`, with a separator between hours and minutes, and with seconds if there are some or asked for. */
export function offsetText(offset: number, separator = "", parts = 2): string {
  const size = Math.abs(offset);
  const units = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60];
  const shown = units.slice(0, parts).map((unit) => String(unit).padStart(2, "0"));
  return (offset < 0 ? "-" : "+") + shown.join(separator);
}
