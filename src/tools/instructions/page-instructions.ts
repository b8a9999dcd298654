import type { DefinitionCheck, DefinitionTexts } from "../../core/agents/page-definitions.ts";
import type { InstructionLayer } from "../../core/context/system-prompt.ts";
import { MAX_BYTES } from "./instruction-text.ts";

/** Key of the instructions that apply in all channels. */
const EVERYWHERE = "";

/** Holds the operator's instructions that are set on the page, by channel. */
export function createPageInstructions() {
  let texts: DefinitionTexts = new Map();
  const layer = (name: string, source: string): InstructionLayer[] => {
    const text = texts.get(name)?.trim() ?? "";
    return text === "" ? [] : [{ source, text }];
  };
  return {
    /**
     * Instructions for all channels come before the files, which are closer to the work, and the channel's own come
     * last.
     */
    around: (channelKey: string, files: readonly InstructionLayer[]): readonly InstructionLayer[] => [
      ...layer(EVERYWHERE, "the page, for all channels"),
      ...files,
      ...layer(channelKey, "the page, for this channel"),
    ],
    check: checkInstructions,
    set: (given: DefinitionTexts): void => {
      texts = given;
    },
  };
}

function checkInstructions(_name: string, text: string): DefinitionCheck {
  const bytes = Buffer.byteLength(text);
  const problem =
    text.trim() === ""
      ? "There is no text. To have no instructions here, remove them."
      : text.includes("\0")
        ? "It contains a character that is not text."
        : bytes > MAX_BYTES
          ? `It has ${bytes} bytes; the maximum is ${MAX_BYTES}, because every model call of the channel carries them.`
          : null;
  return { problems: problem === null ? [] : [{ line: 1, message: problem }], notes: [] };
}
