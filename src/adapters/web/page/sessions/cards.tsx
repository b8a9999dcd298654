import type { JSX } from "preact";
import type { SessionCard } from "../../sessions/team-sessions.ts";
import { plainText } from "../text/markdown.ts";
import { Markdown } from "../text/markdown-text.tsx";
import { Buttons } from "../thread/buttons.tsx";
import { Avatar } from "../thread/message-item.tsx";

interface CardsProps {
  readonly cards: readonly SessionCard[];
  /** The pressed button whose answer is pending. */
  readonly pending: string | null;
  readonly click: (action: string) => void;
}

const WORDS: Readonly<Record<SessionCard["kind"], string>> = {
  approval: "Approval",
  question: "Question",
  plan: "Plan",
};

/** The open cards of a session. */
export function Cards({ cards, pending, click }: CardsProps): JSX.Element | null {
  if (cards.length === 0) return null;
  return (
    <ul class="messages cards" aria-label="Waiting for a decision">
      {cards.map((card) => (
        <li key={card.id} class={`message deckhand question card-${card.kind}`}>
          <Avatar by="deckhand" name="Deckhand" />
          <div
            class="message-body"
            role="group"
            aria-label={`Deckhand asks: ${plainText(card.markdown.split("\n")[0] ?? "")}`}
          >
            <p class="message-head">
              <span class={`tag ${card.kind}`}>{WORDS[card.kind]}</span>
            </p>
            <Markdown text={card.markdown} />
            {card.attached.map(({ name, text }) => (
              <details key={name} class="attached" open>
                <summary>{name}</summary>
                <pre tabIndex={0} role="region" aria-label={name}>
                  {text}
                </pre>
              </details>
            ))}
            {card.footer !== "" && <Markdown text={card.footer} class="footer" />}
            {card.buttons.length === 0 && <p class="hint">You cannot decide this here.</p>}
            <Buttons
              buttons={card.buttons}
              label="Your decision"
              isBusy={(action) => action === pending}
              isDisabled={pending !== null}
              click={click}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}
