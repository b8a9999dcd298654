import { renderBlock, toneOf } from "../../core/context/render-block.ts";
import { stepsOfRun } from "../../core/history/run-steps.ts";
import type { ContentBlock } from "../../core/protocol/messages.ts";
import type { TeamSessions } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { consoleReads, type MessageRow, saidKey } from "./store.ts";

type Session = NonNullable<Awaited<ReturnType<TeamSessions["session"]>>>;
type Entry = Session["entries"][number];
type Step = Extract<Entry, { kind: "step" }>["step"];

/** Maximum number of messages shown, the newest. */
const SHOWN_MESSAGES = 200;

/** What was said and done in a session, in order. */
export async function transcriptOf(
  sessionId: string,
  { store, titleOf }: Pick<FeatureHost, "store" | "titleOf">,
): Promise<Pick<Session, "entries" | "earlier">> {
  const reads = store.tables(consoleReads);
  const [{ rows, count }, said] = await Promise.all([reads.messages(sessionId, SHOWN_MESSAGES), reads.said(sessionId)]);
  const runIds = [...new Set(rows.map(({ runId }) => runId))];
  const runs = await Promise.all(runIds.map((id) => store.runs.get(id)));
  const steps = await Promise.all(
    runs.flatMap((run) => (run === null ? [] : [stepsOfRun({ store, titleOf }, { run, children: [] })])),
  );
  const byId = new Map(steps.flat().map((step) => [step.id, step]));
  return { entries: rows.flatMap((row) => entriesOf(row, { said, steps: byId })), earlier: count - rows.length };
}

interface Known {
  readonly said: ReadonlyMap<string, string>;
  /** Keyed by `<run>:<call>`. */
  readonly steps: ReadonlyMap<string, Step>;
}

function entriesOf(row: MessageRow, known: Known): Entry[] {
  if (row.isOurs) return row.content.flatMap((block, index) => ownEntry(row, { block, index }, known));
  const said = saidIn(row, known);
  if (said === "") return [];
  const { id, authorId, authorName, content, at } = row;
  const tone = content[0] === undefined ? "plain" : toneOf(content[0]);
  const by = authorId === null ? "note" : "person";
  return [{ kind: "message", id, by, author: authorName, markdown: said, tone, at }];
}

/** Tool calls appear among the agent's words in the order in which the model made them. */
function ownEntry(
  { id, runId, at }: MessageRow,
  { block, index }: { readonly block: ContentBlock; readonly index: number },
  { steps }: Known,
): Entry[] {
  if (block.type === "tool_use") {
    const step = steps.get(`${runId}:${block.id}`);
    return step === undefined ? [] : [{ kind: "step", step }];
  }
  const markdown = renderBlock(block);
  const tone = toneOf(block);
  return markdown === ""
    ? []
    : [{ kind: "message", id: `${id}:${index}`, by: "agent", author: "", markdown, tone, at }];
}

/** A person's original words, without what the program added for the model. Tool results are shown with their steps. */
function saidIn({ authorId, at, content }: MessageRow, { said }: Known): string {
  const words = authorId === null ? undefined : said.get(saidKey(authorId, at));
  if (words !== undefined) return words;
  const shown = content.filter(({ type }) => type !== "tool_result").map(renderBlock);
  return (authorId === null ? shown : shown.slice(0, 1)).filter((text) => text !== "").join("\n\n");
}
