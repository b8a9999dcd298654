import { distance } from "fastest-levenshtein";

/** Expressions that nicknames stand for. */
export const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** Phrases for the day fields of everyday expressions: day of the month, month, weekday. */
export const DAYS: Readonly<Record<string, string>> = {
  "* * *": "every day",
  "* * 1-5": "every weekday",
  "* * 0,6": "every Saturday and Sunday",
  "* * 6,0": "every Saturday and Sunday",
  "* * 0": "every Sunday",
  "* * 7": "every Sunday",
  "* * 1": "every Monday",
  "* * 2": "every Tuesday",
  "* * 3": "every Wednesday",
  "* * 4": "every Thursday",
  "* * 5": "every Friday",
  "* * 6": "every Saturday",
};

interface Example {
  readonly expression: string;
  /** The same in words. */
  readonly words: string;
}

const EVERY_DAY: Example = { expression: "0 9 * * *", words: "every day at 09:00" };

const EXAMPLES: readonly Example[] = [
  ...Object.entries(DAYS).map(([days, words]) => ({ expression: `0 9 ${days}`, words: `${words} at 09:00` })),
  { expression: "*/5 * * * *", words: "every 5 minutes" },
  { expression: "@hourly", words: "every hour" },
  { expression: "@daily", words: "every day at 00:00" },
  { expression: "@weekly", words: "every week, on Sunday at 00:00" },
  { expression: "@monthly", words: "every month, on day 1 at 00:00" },
  { expression: "@yearly", words: "every year, on 1 January at 00:00" },
];

/** Suggests the example that looks or sounds most like an unreadable expression, as a sentence. */
export function nearestExample(typed: string): string {
  const text = typed.toLowerCase();
  const farFrom = ({ expression, words }: Example) =>
    Math.min(...[expression, words, words.replace(/ at .*/u, "")].map((like) => distance(text, like.toLowerCase())));
  const [nearest = EVERY_DAY] = EXAMPLES.toSorted((one, other) => farFrom(one) - farFrom(other));
  // As many changes as letters mean that the two have nothing in common.
  const { expression, words } = farFrom(nearest) < text.length ? nearest : EVERY_DAY;
  return `For example, \`${expression}\` is ${words}.`;
}
