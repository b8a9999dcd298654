import { z } from "zod";
import { errorResult, type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import type { QuestionRow } from "../../core/store/run/questions.ts";
import { defineTool, type Tool } from "../../core/tool.ts";
import { type AskDeps, ask, labelOfAnswer } from "./ask.ts";
import { waitingMethods } from "./waiting.ts";

const input = z.object({
  question: z.string().trim().min(1).max(1_200).describe("The question, as the person will read it."),
  options: z
    .array(z.string().trim().min(1).max(75))
    .max(5)
    .default([])
    .describe("Up to five answers to choose from; the person may always reply in their own words."),
});

const NOBODY =
  "Nobody can answer: this run is not part of a conversation. Decide with what you know, and say what you assumed.";

export function createAskUserQuestion(deps: AskDeps): Tool {
  return defineTool({
    name: "ask_user_question",
    description:
      "Asks the person you work for, in the thread, and waits for the answer however long it takes. Only for what you can neither " +
      "find out nor decide yourself and that affects what you do. One question at a time.",
    offer: {
      about:
        "Asks the person in the thread and waits, however long. Only for what you can neither find out nor decide and that affects what you do. One question at a time.",
      arguments: {
        question: "",
        options: "Up to five; other replies are possible.",
      },
    },
    input,
    permission: "none",
    parallel: false,
    afterCrash: "replay",
    grant: () => ({ key: "ask_user_question", label: "asking questions" }),
    title: ({ question }) => question,
    ...waitingMethods<z.infer<typeof input>>(async ({ question, options }, ctx, signal) => {
      if (ctx.nonInteractive) return errorResult(NOBODY, "nobody there");
      const row = await ask({ kind: "question", question, options }, { ctx, signal }, deps);
      return row === null ? null : answerResult(row);
    }),
  });
}

function answerResult({ status, answer, answeredBy }: QuestionRow): ToolResult {
  if (status !== "answered" || answer === null) {
    return errorResult(
      "Nobody answered: the question could not be posted, or was withdrawn. Decide with what you know, or end your turn with the question.",
      "withdrawn",
    );
  }
  const name = answeredBy?.name ?? "Someone";
  const verb = answer.choice === null ? "answered" : "chose";
  return textResult(`${name} ${verb}: ${answer.text}`, {
    summary: `${name} ${verb}`,
    label: labelOfAnswer(answeredBy),
  });
}
