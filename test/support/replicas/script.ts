import { z } from "zod";
import { type Part, type Reply, text } from "../model/model-script.ts";
import type { RecordedRequest } from "../model/model-server.ts";

/** Which conversation a request belongs to, and how far it has come: `c17.2` is the second thing said in conversation 17. */
export interface Standing {
  /** c: a person's conversation; p: a part of it that a sub-agent does; j: a job. */
  readonly who: "c" | "p" | "j";
  readonly number: number;
  readonly turn: number;
  /** How often the model has called tools since that was said. */
  readonly step: number;
  /** What these calls answered, oldest first. */
  readonly results: readonly string[];
}

const MARK = /\b([cpj])(\d+)\.(\d+)\b/gu;

const blockSchema = z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() });
const bodySchema = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) })),
});

/** Null for a request that belongs to no conversation. */
export function standingOf({ body }: Pick<RecordedRequest, "body">): Standing | null {
  return bodySchema.parse(body).messages.reduce(after, null);
}

type Said = z.infer<typeof bodySchema>["messages"][number];

function after(standing: Standing | null, { role, content }: Said): Standing | null {
  if (role === "assistant") return standing === null ? null : { ...standing, step: standing.step + 1 };
  const blocks = typeof content === "string" ? [{ type: "text", text: content, content: null }] : content;
  const marks = blocks.flatMap((block) => (block.type === "text" ? (marked(block.text ?? "") ?? []) : []));
  // What a sub-agent has said is told to whoever it works for.
  const said = marks.findLast(({ who }) => standing === null || who === standing.who);
  if (said !== undefined || standing === null) return said ?? null;
  const results = blocks.flatMap((block) => (block.type === "tool_result" ? [JSON.stringify(block.content)] : []));
  return { ...standing, results: [...standing.results, ...results] };
}

function marked(words: string): Standing | null {
  const [, who, number, turn] = [...words.matchAll(MARK)].at(-1) ?? [];
  if (who !== "c" && who !== "p" && who !== "j") return null;
  return { who, number: Number(number), turn: Number(turn), step: 0, results: [] };
}

/** What was said, as the requests of a conversation have it: its marks in order, each once. */
export function heard({ body }: Pick<RecordedRequest, "body">): readonly string[] {
  const words = bodySchema
    .parse(body)
    .messages.filter(({ role }) => role !== "assistant")
    .flatMap(({ content }) =>
      typeof content === "string"
        ? [content]
        : content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])),
    );
  return words.flatMap((each) => [...each.matchAll(MARK)].map(([mark]) => mark));
}

export const markOf = ({ who, number, turn }: Pick<Standing, "who" | "number" | "turn">) => `${who}${number}.${turn}`;

/** What the answer to a mark begins with, and nothing else does. */
export const answerTo = (mark: string) => `Answer ${mark}.`;

/** Pieces of an answer: the last one comes after so many milliseconds. */
export function answer(standing: Standing, takesMs: number, words = ""): Reply {
  const pieces = 8;
  const said = `${answerTo(markOf(standing))} ${words} `;
  const rest = "and so on ".repeat(pieces);
  return [text(said, { chunkChars: said.length }), text(rest, { chunkChars: 10, everyMs: takesMs / pieces })];
}

/** A request that learns from a thread, or asks for something else beside the conversations. */
export function isAside({ body }: Pick<RecordedRequest, "body">): boolean {
  return JSON.stringify(body).includes("You keep a team's memory");
}

export const nothingLearned: Part = text('```json\n{"notes": []}\n```');
