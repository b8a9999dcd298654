import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { renderInline, renderMarkdown } from "./markdown.ts";

/** Rendered Markdown; its code blocks have a button that copies them. */
export function Markdown(props: { readonly text: string; readonly class?: string }): JSX.Element | null {
  const html = useMemo(() => renderMarkdown(props.text), [props.text]);
  if (props.text.trim() === "") return null;
  const look = `markdown ${props.class ?? ""}`;
  return <div dir="auto" class={look} onClick={copyCode} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** Deckhand's own text with its signs drawn as icons. */
export function Label({ text }: { readonly text: string }): JSX.Element {
  return <span dangerouslySetInnerHTML={{ __html: renderInline(text) }} />;
}

/** The button is part of the rendered text, so its click arrives here. */
function copyCode({ target }: MouseEvent): void {
  if (!(target instanceof HTMLButtonElement) || target.dataset["copy"] === undefined) return;
  const text = target.closest(".code")?.querySelector("code")?.textContent ?? "";
  const say = (words: string): void => {
    target.textContent = words;
    setTimeout(() => {
      target.textContent = "Copy";
    }, 1_500);
  };
  // The browser has no clipboard API unless the page was loaded over TLS or from this machine.
  if (!("clipboard" in navigator)) return say("Not allowed");
  navigator.clipboard.writeText(text).then(
    () => say("Copied"),
    () => say("Not allowed"),
  );
}
