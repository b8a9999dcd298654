import type { OutgoingMessage } from "../../src/core/platform/outgoing.ts";
import { lineText, type ShownLine } from "../../src/core/protocol/shown.ts";

const BASE = { lane: "progress", tone: "plain", files: [] } as const;

/** A run's live message, as its renderer makes it: `**build** · turn 1`, and lines like `✓ read`. */
export function liveMessage(head: string, ...texts: readonly string[]): OutgoingMessage {
  const lines = texts.map((line): ShownLine => {
    const [sign = "", ...words] = line.split(" ");
    return { sign, text: words.join(" "), isOver: sign !== "⏳" };
  });
  const markdown = [`⏳ ${head}`, ...lines.map(lineText)].join("\n");
  const buttons = [{ id: "stop:run_1", label: "Stop", style: "danger" as const }];
  return { ...BASE, markdown, buttons, shows: { type: "live", state: "working", head, lines } };
}

/** The folded message: `3 turns · 6 s`. */
export function foldedMessage(figures: string, buttons: OutgoingMessage["buttons"] = []): OutgoingMessage {
  const shows = { type: "end", state: "done", head: figures, isFigures: true } as const;
  return { ...BASE, markdown: `✓ ${figures}`, buttons, shows };
}
