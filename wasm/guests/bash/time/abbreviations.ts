/** Hours ahead of UTC of the abbreviations that a date may contain, as GNU's `date` knows them. */
const HOURS: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  UT: 0,
  GMT: 0,
  WET: 0,
  WEST: 1,
  BST: 1,
  ART: -3,
  BRT: -3,
  BRST: -2,
  NST: -3.5,
  NDT: -2.5,
  AST: -4,
  ADT: -3,
  CLT: -4,
  CLST: -3,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  AKST: -9,
  AKDT: -8,
  HST: -10,
  HAST: -10,
  HADT: -9,
  SST: -12,
  WAT: 1,
  CET: 1,
  CEST: 2,
  MET: 1,
  MEZ: 1,
  MEST: 2,
  MESZ: 2,
  EET: 2,
  EEST: 3,
  CAT: 2,
  SAST: 2,
  EAT: 3,
  MSK: 3,
  MSD: 4,
  IST: 5.5,
  SGT: 8,
  KST: 9,
  JST: 9,
  GST: 10,
  NZST: 12,
  NZDT: 13,
};

interface Found {
  /** The text without the abbreviation. */
  readonly rest: string;
  /** Seconds ahead of UTC. */
  readonly offset: number;
}

/** Finds an abbreviation among the words of a text; null if there is none. */
export function abbreviationIn(text: string): Found | null {
  for (const { 0: word, index } of text.matchAll(/[A-Za-z]+/g)) {
    const hours = Object.hasOwn(HOURS, word.toUpperCase()) ? HOURS[word.toUpperCase()] : undefined;
    if (hours !== undefined)
      return { rest: `${text.slice(0, index)} ${text.slice(index + word.length)}`, offset: hours * 3600 };
  }
  return null;
}
