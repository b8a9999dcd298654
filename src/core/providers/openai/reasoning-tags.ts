/** Tags written by Bedrock, and by models whose server does not separate thoughts from the answer. */
const TAGS = ["<reasoning>", "<think>", "<thinking>"];

export interface Piece {
  readonly type: "text" | "thinking";
  readonly text: string;
}

/** Separates thoughts from the answer when both arrive in one text. */
export interface ReasoningSplitter {
  /** The pieces that are certain so far; an incomplete tag is held back. */
  next(text: string): Generator<Piece>;
  /** The text held back, at the end of the stream. */
  rest(): Generator<Piece>;
}

/**
 * Thoughts come before the answer, in one pair of tags or with tags around each chunk; blank lines after them are
 * dropped. Tags within the answer belong to it.
 */
export function createReasoningSplitter(): ReasoningSplitter {
  let at: "before" | "thoughts" | "answer" = "before";
  let close = "";
  let kept = "";

  /** Advances by one piece of the held text; null if more text is needed. */
  function step(): Piece | null {
    if (at === "answer") return take("text", kept.length);
    if (at === "thoughts") {
      const end = kept.indexOf(close);
      if (end === -1) return take("thinking", kept.length - begunTag(kept, close));
      at = "before";
      const thought = kept.slice(0, end);
      kept = kept.slice(end + close.length);
      return { type: "thinking", text: thought };
    }
    const begin = kept.trimStart();
    const open = TAGS.find((tag) => begin.startsWith(tag));
    if (open !== undefined) {
      at = "thoughts";
      close = open.replace("<", "</");
      kept = begin.slice(open.length);
    } else if (TAGS.some((tag) => tag.startsWith(begin))) {
      return null;
    } else {
      if (close !== "") kept = begin;
      at = "answer";
    }
    return step();
  }

  function take(type: Piece["type"], length: number): Piece | null {
    if (length === 0) return null;
    const text = kept.slice(0, length);
    kept = kept.slice(length);
    return { type, text };
  }

  return {
    *next(text) {
      kept += text;
      for (let piece = step(); piece !== null; piece = step()) if (piece.text !== "") yield piece;
    },
    *rest() {
      const piece = take(at === "thoughts" ? "thinking" : "text", kept.length);
      if (piece !== null) yield piece;
    },
  };
}

/** Number of characters at the end that may begin a closing tag. */
function begunTag(text: string, close: string): number {
  const longest = Math.min(text.length, close.length - 1);
  for (let length = longest; length > 0; length--) if (close.startsWith(text.slice(-length))) return length;
  return 0;
}
