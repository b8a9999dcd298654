import { type Part, type Reply, toolUse } from "../../support/model/model-script.ts";
import type { Place } from "../../support/replicas/place.ts";
import { answer, type Standing } from "../../support/replicas/script.ts";

/** The topic of a conversation, and what the model does in it. */
export interface Kind {
  readonly name: string;
  /** How many of a hundred conversations are of this kind, by platform. */
  readonly share: Readonly<Record<Place["name"], number>>;
  /** Number of messages that the person sends. */
  readonly turns: number;
  /** If true, the next message is sent before the one before is answered. */
  readonly isHasty?: true;
  /** Calls of the model after the `turn`-th message, one a step. */
  readonly calls: (standing: Standing) => readonly Part[];
}

/** File to which each effect appends a line. */
export const effectFile = (number: number) => `effect-${number}.txt`;
export const siteName = (number: number) => `site-${number}`;
export const noteOf = (number: number) => `The berth of ship number ${number} is at pier ${number + 7}.`;

const nothing = () => [];

export const KINDS: readonly Kind[] = [
  { name: "plain", share: { slack: 40, discord: 12, page: 12 }, turns: 1, calls: nothing },
  { name: "talk", share: { slack: 20, discord: 12, page: 12 }, turns: 3, calls: nothing },
  { name: "hasty", share: { slack: 10, discord: 10, page: 10 }, turns: 3, isHasty: true, calls: nothing },
  {
    name: "tools",
    share: { slack: 6, discord: 18, page: 16 },
    turns: 1,
    calls: ({ number }) => [
      toolUse("glob", { pattern: "*.md" }),
      toolUse("bash", { command: `echo done >> ${effectFile(number)}` }),
      toolUse("read", { path: effectFile(number) }),
    ],
  },
  {
    name: "question",
    share: { slack: 6, discord: 12, page: 12 },
    turns: 1,
    calls: () => [toolUse("ask_user_question", { question: "Which port?", options: ["8080", "9090"] })],
  },
  {
    name: "sub-agent",
    share: { slack: 6, discord: 12, page: 12 },
    turns: 1,
    calls: ({ number }) => [toolUse("agent", { description: `part ${number}`, prompt: `Do part p${number}.1 of it.` })],
  },
  {
    name: "background",
    share: { slack: 4, discord: 8, page: 8 },
    turns: 1,
    calls: ({ number, results }) => [
      toolUse("agent", {
        description: `part ${number}`,
        prompt: `Do part p${number}.1 of it.`,
        run_in_background: true,
      }),
      toolUse("agent_output", { agent_id: /agent_id: (agt_\w+)/u.exec(results.join())?.[1] ?? "", action: "wait" }),
    ],
  },
  {
    name: "memory",
    share: { slack: 4, discord: 8, page: 8 },
    turns: 2,
    calls: ({ number, turn }) => [
      turn === 1
        ? useTool("remember", { text: noteOf(number), scope: "channel", kind: "semantic" })
        : useTool("recall", { query: `the berth of ship number ${number}` }),
    ],
  },
  {
    name: "site",
    share: { slack: 4, discord: 8, page: 10 },
    turns: 1,
    calls: ({ number }) => [
      toolUse("write", { path: `${siteName(number)}/index.html`, content: `<h1>Site ${number}</h1>` }),
      useTool("publish_site", { directory: siteName(number), name: siteName(number) }),
    ],
  },
];

function useTool(name: string, input: object): Part {
  return toolUse("use_tool", { name, input });
}

/** How long an answer takes, in milliseconds. The shortest are over before a live message is due. */
function takesMs({ number, turn }: Standing): number {
  return [60, 3_000, 200, 4_000, 100, 1_500][(number + turn) % 6] ?? 0;
}

/** The model's reply in a conversation of this kind. */
export function replyOf(kind: Kind, standing: Standing): Reply {
  if (standing.who === "p") {
    return standing.step === 0 ? toolUse("glob", { pattern: "*.txt" }) : answer(standing, takesMs(standing));
  }
  const call = standing.who === "j" ? undefined : kind.calls(standing)[standing.step];
  // The answer says whether recalling found the note.
  return call ?? answer(standing, takesMs(standing), standing.results.at(-1)?.includes("pier") ? "It is known." : "");
}
