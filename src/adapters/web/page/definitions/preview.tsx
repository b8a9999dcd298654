import type { JSX } from "preact";
import { Markdown } from "../text/markdown-text.tsx";

/** Renders a definition's text without its front matter. */
export function Preview({ text }: { readonly text: string }): JSX.Element {
  const body = text.replace(/^\uFEFF?---[ \t]*\r?\n(?:[^]*?\r?\n)?---[ \t]*(?:\r?\n|$)/u, "");
  return (
    // Long texts scroll by themselves, also by keyboard.
    <section class="definition-preview" tabIndex={0} aria-label="Preview">
      {body.trim() === "" ? <p class="hint">No text yet.</p> : <Markdown text={body} />}
    </section>
  );
}
