import type { JSX } from "preact";
import { Markdown } from "../text/markdown-text.tsx";

/** How a text reads, without the lines above it that say what it is. */
export function Preview({ text }: { readonly text: string }): JSX.Element {
  const body = text.replace(/^\uFEFF?---[ \t]*\r?\n(?:[^]*?\r?\n)?---[ \t]*(?:\r?\n|$)/u, "");
  return (
    // Long texts scroll by themselves, also by keyboard.
    <section class="definition-preview" tabIndex={0} aria-label="Preview">
      {body.trim() === "" ? <p class="hint">There is no text yet.</p> : <Markdown text={body} />}
    </section>
  );
}
