import { cut } from "./plain-text.ts";

/** Something that a request lists by name. */
export interface Named {
  readonly name: string;
  /** One line. */
  readonly about: string;
}

/** Maximum lengths of each description, in characters, tried in this order until all lines fit. */
const ABOUT_CHARS = [480, 240, 120, 60];

/** One line each, shorter the more there are. If not even that fits, the names in one line, followed by `elsewhere`. */
export function namedLines(all: readonly Named[], { mostChars, elsewhere }: NamedRoom): string[] {
  const fitting = ABOUT_CHARS.map((most) => all.map((one) => namedLine(one, most))).find(
    (lines) => lines.join("\n").length <= mostChars,
  );
  return fitting ?? [bareNames(all, mostChars) + elsewhere];
}

interface NamedRoom {
  /** Limited because the text is part of every request. */
  readonly mostChars: number;
  /** A sentence that says where to find out more. */
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
