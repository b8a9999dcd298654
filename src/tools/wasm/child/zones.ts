/** How the clocks of a zone are set at a moment (wasm/wit/sandbox.wit). */
interface ZoneTime {
  /** Seconds ahead of UTC. */
  readonly offset: number;
  readonly name: string;
}

/**
 * Abbreviations of the time zone database, by the names that the engine's data has in English. Times that are not listed
 * have none in the database, which calls them by their offset.
 */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  "Alaska Daylight Time": "AKDT",
  "Alaska Standard Time": "AKST",
  "American Samoa Standard Time": "SST",
  "Atlantic Daylight Time": "ADT",
  "Atlantic Standard Time": "AST",
  "Australian Central Daylight Time": "ACDT",
  "Australian Central Standard Time": "ACST",
  "Australian Eastern Daylight Time": "AEDT",
  "Australian Eastern Standard Time": "AEST",
  "Australian Western Daylight Time": "AWDT",
  "Australian Western Standard Time": "AWST",
  "British Summer Time": "BST",
  "Central Africa Time": "CAT",
  "Central Daylight Time": "CDT",
  "Central European Standard Time": "CET",
  "Central European Summer Time": "CEST",
  "Central Indonesia Time": "WITA",
  "Central Standard Time": "CST",
  "Chamorro Standard Time": "ChST",
  "China Daylight Time": "CDT",
  "China Standard Time": "CST",
  "Cuba Daylight Time": "CDT",
  "Cuba Standard Time": "CST",
  "East Africa Time": "EAT",
  "Eastern Daylight Time": "EDT",
  "Eastern European Standard Time": "EET",
  "Eastern European Summer Time": "EEST",
  "Eastern Indonesia Time": "WIT",
  "Eastern Standard Time": "EST",
  "Greenwich Mean Time": "GMT",
  "Hawaii-Aleutian Daylight Time": "HDT",
  "Hawaii-Aleutian Standard Time": "HST",
  "Hong Kong Standard Time": "HKT",
  "Hong Kong Summer Time": "HKST",
  "India Standard Time": "IST",
  "Irish Standard Time": "IST",
  "Israel Daylight Time": "IDT",
  "Israel Standard Time": "IST",
  "Japan Standard Time": "JST",
  "Korean Daylight Time": "KDT",
  "Korean Standard Time": "KST",
  "Macao Standard Time": "CST",
  "Macao Summer Time": "CDT",
  "Mexican Pacific Daylight Time": "MDT",
  "Mexican Pacific Standard Time": "MST",
  "Moscow Standard Time": "MSK",
  "Moscow Summer Time": "MSD",
  "Mountain Daylight Time": "MDT",
  "Mountain Standard Time": "MST",
  "New Zealand Daylight Time": "NZDT",
  "New Zealand Standard Time": "NZST",
  "Newfoundland Daylight Time": "NDT",
  "Newfoundland Standard Time": "NST",
  "North Korea Time": "KST",
  "Pacific Daylight Time": "PDT",
  "Pacific Standard Time": "PST",
  "Pakistan Standard Time": "PKT",
  "Pakistan Summer Time": "PKST",
  "Philippine Standard Time": "PST",
  "Philippine Summer Time": "PDT",
  "South Africa Standard Time": "SAST",
  "Taiwan Daylight Time": "CDT",
  "Taiwan Standard Time": "CST",
  "Volgograd Standard Time": "MSK",
  "Volgograd Summer Time": "MSD",
  "West Africa Time": "WAT",
  "Western European Standard Time": "WET",
  "Western European Summer Time": "WEST",
  "Western Indonesia Time": "WIB",
  "Yukon Time": "MST",
};

/** Zones without abbreviations in the database, though the engine's data counts them among those that have some. */
const WITHOUT =
  /^(?:Antarctica\/(?:Casey|Troll)|Africa\/(?:Casablanca|El_Aaiun)|Asia\/(?:Colombo|Dili|Thimb?p?h?u)|Europe\/(?:Astrakhan|Minsk|Samara|Saratov|Ulyanovsk))$/i;
/** Names of at most three letters that the engine knows, and that the database has, too. */
const SHORT = /^(?:CET|EET|EST|GB|GMT|HST|MET|MST|NZ|PRC|ROC|ROK|UCT|UTC|WET)$/i;
/** Zones whose summer time has no name in the engine's data; they are links to London's in the database. */
const LIKE_LONDON = /^Europe\/(?:Guernsey|Isle_of_Man|Jersey)$/i;

type Formatter = Pick<Intl.DateTimeFormat, "formatToParts">;

/** Answers how clocks are set: the time zone database within the engine knows all zones and their history. */
export function createZones(): (name: string, ms: number) => ZoneTime | undefined {
  const known = new Map<string, { readonly offset: Formatter; readonly long: Formatter } | null>();
  return (name, ms) => {
    let zone = known.get(name);
    if (zone === undefined) {
      zone = zoneNamed(name);
      known.set(name, zone);
    }
    if (zone === null) return undefined;
    const offset = offsetOf(nameIn(zone.offset, ms));
    return { offset, name: abbreviation(name, nameIn(zone.long, ms), offset) };
  };
}

function zoneNamed(name: string): { readonly offset: Formatter; readonly long: Formatter } | null {
  if (!/^[A-Za-z]/.test(name) || (/^[A-Za-z]{1,3}$/.test(name) && !SHORT.test(name))) return null;
  try {
    const formatter = (timeZoneName: "longOffset" | "long") =>
      new Intl.DateTimeFormat("en-US", { timeZone: LIKE_LONDON.test(name) ? "Europe/London" : name, timeZoneName });
    return { offset: formatter("longOffset"), long: formatter("long") };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function nameIn(formatter: Formatter, ms: number): string {
  return formatter.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** Seconds of `GMT+05:30`. */
function offsetOf(text: string): number {
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = /^GMT([-+])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -size : size;
}

function abbreviation(zone: string, long: string, offset: number): string {
  if (long === "Coordinated Universal Time") return /GMT|Greenwich/i.test(zone) ? "GMT" : "UTC";
  const found = ABBREVIATIONS[long];
  if (found !== undefined && !WITHOUT.test(zone)) return found;
  // Times before there were zones.
  if (offset % 60 !== 0) return "LMT";
  const size = Math.abs(offset) / 60;
  const [hours, minutes] = [Math.floor(size / 60), size % 60];
  const digits = String(hours).padStart(2, "0") + (minutes === 0 ? "" : String(minutes).padStart(2, "0"));
  return (offset < 0 ? "-" : "+") + digits;
}
