import { hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import { PARSE_OPTIONS } from "../../config/problems.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { fromJson } from "../../core/text/from-json.ts";
import { utcDay } from "../../core/text/utc.ts";
import { acceptable } from "./acceptable.ts";
import { kindSchema, type NewMemory } from "./memory.ts";

export const scopeSchema = z
  .string()
  .regex(/^(?:person|channel|workspace):[a-z]+:\S+$/u, "must look like person:slack:U1 or channel:slack:C1");

/** Accepts null for missing values, as other programs export them. */
const lineSchema = z.object({
  id: z.string().min(1).nullish(),
  text: z.string(),
  kind: kindSchema.nullish(),
  scope: scopeSchema,
  author: z.string().nullish(),
  at: z.string().nullish(),
  source: z.string().nullish(),
});
type ImportedLine = z.infer<typeof lineSchema>;

/** Returns a reader for the lines of a file: each becomes a memory of its scope alone, or a reason for its refusal. */
export function createLineReader(clock: Clock): (value: unknown) => NewMemory | string {
  const positions = new Map<string, number>();
  return (value) => {
    const read = lineSchema.safeParse(value, PARSE_OPTIONS);
    if (!read.success) return problemOf(read.error);
    const { text, scope } = read.data;
    const checked = acceptable(text);
    if ("refused" in checked) return checked.refused;
    const [kind, author] = [read.data.kind ?? "semantic", read.data.author ?? "imported"];
    const source = read.data.source ?? "import";
    const place = `${scope} ${source}`;
    const position = (positions.get(place) ?? 0) + 1;
    positions.set(place, position);
    return {
      id: read.data.id ?? idOf(read.data),
      text: checked.text,
      kind,
      scope,
      isPrivate: scope.startsWith("channel:"),
      origin: "people",
      author: { id: author, name: author },
      channelKey: scope.slice(scope.indexOf(":") + 1),
      workspace: "",
      thread: null,
      source,
      position,
      said: read.data.at ?? utcDay(clock.now()),
    };
  };
}

/** Gives the same line the same id, so that importing a file twice stores each memory once. */
function idOf({ scope, source, author, at, text }: ImportedLine): string {
  const identity = JSON.stringify([scope, source, author, at, text].map((part) => part ?? null));
  return `mem_${hash("sha256", identity).slice(0, 24)}`;
}

/** All problems of a line in one text: `scope: must look like person:slack:U1 or channel:slack:C1`. */
export function problemOf({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? "is not a JSON object" : `${path.join(".")}: ${message}`))
    .join("; ");
}

/** Yields each non-empty line of a file; a line that is not JSON is yielded as text. */
export async function* linesOf(file: string): AsyncGenerator<{ readonly number: number; readonly value: unknown }> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Infinity })) {
    number += 1;
    // Windows editors start a file with a byte order mark.
    const written = number === 1 && line.startsWith("\uFEFF") ? line.slice(1) : line;
    if (written.trim() !== "") yield { number, value: fromJson(written) ?? written };
  }
}
