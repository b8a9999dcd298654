import type { JSX } from "preact";
import type { PageMessage } from "../../render/local/wire.ts";
import { isFolded, isLive, isQuestion, stepsIn } from "./state/run-details.ts";
import { messagesOf, type PageState } from "./state/state.ts";
import { plainText } from "./text/markdown.ts";

const ANNOUNCED_CHARS = 400;

/**
 * Tells a screen reader what is new: a question (once), an answer, or the current step of a run. Live edits that only
 * advance the clock leave the text unchanged and so stay silent. Folded live messages are skipped; answers say more.
 */
export function Announcer({ state }: { readonly state: PageState }): JSX.Element {
  const said = messagesOf(state, state.openId).filter(({ body }) => body.by !== "person" && !isFolded(body));
  const newest = said.findLast(({ body }) => isQuestion(body)) ?? said.toSorted((a, b) => a.seq - b.seq).at(-1);
  return (
    <div class="hidden" role="status" aria-live="polite" aria-atomic="true">
      {newest === undefined ? "" : announcement(newest)}
    </div>
  );
}

function announcement({ body }: PageMessage): string {
  if (isQuestion(body)) {
    const choices = body.buttons.map(({ label }) => label).join(", ");
    const text = `Deckhand asks: ${plainText(body.markdown).replace(/^waiting: /u, "")}`;
    return `${text.slice(0, ANNOUNCED_CHARS)} Choices: ${choices}.`;
  }
  if (!isLive(body)) return `Deckhand: ${plainText(body.markdown).slice(0, ANNOUNCED_CHARS)}`;
  const step = stepsIn(body).at(-1);
  return step === undefined ? "Deckhand is working." : `Deckhand is working: ${plainText(step.text)}`;
}
