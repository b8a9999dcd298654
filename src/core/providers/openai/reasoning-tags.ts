/** As Bedrock writes them, and as models do whose server does not part their thoughts from the answer. */
const TAGS = ["<reasoning>", "<think>", "<thinking>"];

export interface Piece {
  readonly type: "text" | "thinking";
  readonly text: string;
}

/** Parts what a model thinks from what it answers, as both arrive in one text. */
export interface ReasoningSplitter {
  /** What is certain after this much; a tag that is not complete is kept back. */
  next(text: string): Generator<Piece>;
  /** What was kept back, once nothing more comes. */
  rest(): Generator<Piece>;
}

/**
 * Thoughts stand before the answer, between tags, in one piece or with tags around each chunk; the blank lines after
 * them are no part of the answer. Once it has begun, tags are the answer's own.
 */
export function createReasoningSplitter(): ReasoningSplitter {
  let at: "before" | "thoughts" | "answer" = "before";
  let close = "";
  let kept = "";

  /** Takes one step in what is kept; null when more must come first. */
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

/** How many characters at the end may be the beginning of a closing tag. */
function begunTag(text: string, close: string): number {
  const longest = Math.min(text.length, close.length - 1);
  for (let length = longest; length > 0; length--) if (close.startsWith(text.slice(-length))) return length;
  return 0;
}
