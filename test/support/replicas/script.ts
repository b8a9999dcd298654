import { z } from "zod";
import { type Part, type Reply, text } from "../model/model-script.ts";
import type { RecordedRequest } from "../model/model-server.ts";

/** A request's conversation and progress: `c17.2` is the second message in conversation 17. */
export interface Standing {
  /** c: a person's conversation; p: a part of it done by a sub-agent; j: a job. */
  readonly who: "c" | "p" | "j";
  readonly number: number;
  readonly turn: number;
  /** Number of the model's tool turns since that message. */
  readonly step: number;
  /** Results of these calls, oldest first. */
  readonly results: readonly string[];
}

const MARK = /\b([cpj])(\d+)\.(\d+)\b/gu;

const blockSchema = z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() });
const bodySchema = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) })),
});

/** Null if a request belongs to no conversation. */
export function standingOf({ body }: Pick<RecordedRequest, "body">): Standing | null {
  return bodySchema.parse(body).messages.reduce(after, null);
}

type Said = z.infer<typeof bodySchema>["messages"][number];

function after(standing: Standing | null, { role, content }: Said): Standing | null {
  if (role === "assistant") return standing === null ? null : { ...standing, step: standing.step + 1 };
  const blocks = typeof content === "string" ? [{ type: "text", text: content, content: null }] : content;
  const marks = blocks.flatMap((block) => (block.type === "text" ? (marked(block.text ?? "") ?? []) : []));
  // A sub-agent's words are also reported to its parent, so only marks of the same kind count.
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

/** Marks of the messages in a conversation's request, in order and each once. */
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

/** Unique beginning of the answer to a mark. */
export const answerTo = (mark: string) => `Answer ${mark}.`;

/** The pieces of an answer; the last one arrives after so many milliseconds. */
export function answer(standing: Standing, takesMs: number, words = ""): Reply {
  const pieces = 8;
  const said = `${answerTo(markOf(standing))} ${words} `;
  const rest = "and so on ".repeat(pieces);
  return [text(said, { chunkChars: said.length }), text(rest, { chunkChars: 10, everyMs: takesMs / pieces })];
}

/** True for requests outside the conversations, such as those that learn from a thread. */
export function isAside({ body }: Pick<RecordedRequest, "body">): boolean {
  return JSON.stringify(body).includes("You keep a team's memory");
}

export const nothingLearned: Part = text('```json\n{"notes": []}\n```');
