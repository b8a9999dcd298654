import type { OutgoingMessage } from "../../core/platform/outgoing.ts";
import { SKILL_ORIGINS } from "../../core/skills/skills.ts";
import { codeBlock, inlineCode, visibleText } from "../../core/text/plain-text.ts";
import type { InstructionText } from "../../tools/instructions/instruction-gate.ts";

/** Maximum length of the text on the card; a longer one is attached. */
const SHOWN = { lines: 25, chars: 1_200 };
/** Maximum number of texts named; the rest is counted. */
const MAX_NAMED = 8;
const PATH_CHARS = 100;

export interface CardFacts {
  readonly texts: readonly InstructionText[];
  readonly runId: string;
  /** Sentence that says who may decide. */
  readonly deciders: string;
}

/** A card with a repository's new instructions and a button that allows agents to follow them. */
export function instructionCard({ texts, runId, deciders }: CardFacts): OutgoingMessage {
  const whole = texts.map(({ path, text }) => `${path}:\n\n${visibleText(text)}`).join("\n\n---\n\n");
  const head = whole.split("\n").slice(0, SHOWN.lines).join("\n").slice(0, SHOWN.chars).toWellFormed();
  const isWhole = head.length === whole.length;
  const it = texts.length === 1 ? "it" : "them";
  const asks = `**This repository has instructions for me:** ${named(texts)}`;
  const markdown = [
    `⏸ ${asks}`,
    codeBlock(isWhole ? head : `${head}\n…`, "md"),
    ...(isWhole ? [] : ["Everything is attached: `instructions.md`."]),
    `Until ${it === "it" ? "it is" : "they are"} allowed, I work without ${it}.`,
  ].join("\n");
  const file = { name: "instructions.md", mediaType: "text/markdown", data: new TextEncoder().encode(`${whole}\n`) };
  return {
    lane: "approval",
    markdown,
    footer: deciders,
    tone: "plain",
    buttons: [{ id: `hook:instructions:${runId}`, label: `Follow ${it}`, style: "primary" }],
    files: isWhole ? [] : [file],
    shows: { type: "card", card: "offer", head: asks, asks },
  };
}

/** The card after the decision. */
export function allowedCard(paths: readonly string[], by: string): OutgoingMessage {
  const markdown = `✓ Followed in this channel from now on, allowed by ${by}: ${listed(paths.map(pathOf))}`;
  return { lane: "approval", markdown, tone: "plain", buttons: [], files: [] };
}

function named(texts: readonly InstructionText[]): string {
  return listed(
    texts.map(({ path, skill }) => {
      const replaced = skill?.replaces;
      return replaced === undefined
        ? pathOf(path)
        : `${pathOf(path)} (replaces the skill ${skill?.name} from ${SKILL_ORIGINS[replaced]})`;
    }),
  );
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `${names.slice(0, MAX_NAMED).join(", ")}${more}`;
}

function pathOf(path: string): string {
  return inlineCode(path, PATH_CHARS);
}
