import { cut } from "./plain-text.ts";

/** Something that a request tells of by its name. */
export interface Named {
  readonly name: string;
  /** One line. */
  readonly about: string;
}

/** Characters of what is told of each, tried in this order until all fit. */
const ABOUT_CHARS = [480, 240, 120, 60];

/** A line for each, shorter the more there are; where not even that fits, their names in one line, with `elsewhere` behind them. */
export function namedLines(all: readonly Named[], { mostChars, elsewhere }: NamedRoom): string[] {
  const fitting = ABOUT_CHARS.map((most) => all.map((one) => namedLine(one, most))).find(
    (lines) => lines.join("\n").length <= mostChars,
  );
  return fitting ?? [bareNames(all, mostChars) + elsewhere];
}

interface NamedRoom {
  /** It is part of every request. */
  readonly mostChars: number;
  /** A sentence about where more is told. */
  readonly elsewhere: string;
}

export function namedLine({ name, about }: Named, mostChars: number): string {
  return `- ${name}: ${cut(about, mostChars)}`;
}

function bareNames(all: readonly Named[], mostChars: number): string {
  const fitting: string[] = [];
  let length = 0;
  for (const { name } of all) {
    length += name.length + 2;
    if (length > mostChars) break;
    fitting.push(name);
  }
  const left = all.length - fitting.length;
  return `${fitting.join(", ")}${left === 0 ? "" : ` … and ${left} more`}.`;
}
