const OPEN = "<reasoning>";
const CLOSE = "</reasoning>";

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
 * Thoughts stand before the answer, between tags, in one piece or with tags around each chunk. Once the answer
 * has begun, tags are the answer's own.
 */
export function createReasoningSplitter(): ReasoningSplitter {
  let at: "before" | "thoughts" | "answer" = "before";
  let kept = "";

  /** Takes one step in what is kept; null when more must come first. */
  function step(): Piece | null {
    if (at === "answer") return take("text", kept.length);
    if (at === "thoughts") {
      const end = kept.indexOf(CLOSE);
      if (end === -1) return take("thinking", kept.length - begunTag(kept));
      at = "before";
      const thought = kept.slice(0, end);
      kept = kept.slice(end + CLOSE.length);
      return { type: "thinking", text: thought };
    }
    const begin = kept.trimStart();
    if (begin.startsWith(OPEN)) {
      at = "thoughts";
      kept = begin.slice(OPEN.length);
    } else if (OPEN.startsWith(begin)) {
      return null;
    } else {
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
function begunTag(text: string): number {
  const longest = Math.min(text.length, CLOSE.length - 1);
  for (let length = longest; length > 0; length--) if (CLOSE.startsWith(text.slice(-length))) return length;
  return 0;
}
