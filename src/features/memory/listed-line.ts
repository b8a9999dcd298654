import { plainLine } from "../../core/text/plain-text.ts";
import { utcDay } from "../../core/text/utc.ts";
import type { Memories } from "./memories.ts";
import type { Memory } from "./memory.ts";

const LINE_CHARS = 200;

export function listedLine(memory: Memory, { linkOf }: Pick<Memories, "linkOf">): string {
  const { seq, text, author, said, kind, scope, isPinned, origin, endedAt } = memory;
  const link = linkOf(memory);
  const marks = [
    plainLine(author.name, LINE_CHARS),
    plainLine(said, LINE_CHARS),
    kind,
    ...(scope.startsWith("channel:") ? [] : [scope.startsWith("person:") ? "yours" : "workspace"]),
    ...(isPinned ? ["pinned"] : []),
    ...(origin === "outside" ? ["found outside"] : []),
    ...(endedAt === null ? [] : [`until ${utcDay(endedAt)}`]),
    ...(link === null ? [] : [`[thread](${link})`]),
  ];
  return `**#${seq}** ${plainLine(text, LINE_CHARS)} · ${marks.join(" · ")}`;
}
