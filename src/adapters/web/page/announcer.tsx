import type { JSX } from "preact";
import type { PageMessage } from "../wire.ts";
import { plainText } from "./markdown.ts";
import { isLive, stepsIn } from "./run-details.ts";
import { messagesOf, type PageState } from "./state.ts";

const ANNOUNCED_CHARS = 400;

/**
 * Tells a screen reader what is new: an answer, or the step a run is at. Live edits that only move the
 * clock on say nothing, because the text stays the same.
 */
export function Announcer({ state }: { readonly state: PageState }): JSX.Element {
  const newest = messagesOf(state, state.openId).findLast((message) => message.body.by !== "person");
  return (
    <div class="hidden" role="status" aria-live="polite" aria-atomic="true">
      {newest === undefined ? "" : announcement(newest)}
    </div>
  );
}

function announcement({ body }: PageMessage): string {
  if (!isLive(body)) return `Deckhand: ${plainText(body.markdown).slice(0, ANNOUNCED_CHARS)}`;
  const step = stepsIn(body).at(-1);
  return step === undefined ? "Deckhand is working." : `Deckhand is working: ${plainText(step.text)}`;
}
