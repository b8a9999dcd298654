import type { HTMLAttributes, JSX } from "preact";
import type { MessageBody, PageMessage } from "../../../render/local/wire.ts";
import type { Controller } from "../state/controller.ts";
import { isPending } from "../state/controller.ts";
import { cardOf, isDecided, isFolded, isLive, isQuestion } from "../state/run-details.ts";
import { mayAct, type PageState } from "../state/state.ts";
import { AnchorIcon } from "../text/icons.tsx";
import { plainText } from "../text/markdown.ts";
import { Markdown } from "../text/markdown-text.tsx";
import { clockTime } from "../text/relative-time.ts";
import { Buttons, useKeptFocus } from "./buttons.tsx";
import { Delivery } from "./delivery.tsx";
import { Files } from "./files.tsx";

interface MessageItemProps {
  readonly message: PageMessage;
  readonly state: PageState;
  readonly now: number;
  readonly controller: Controller;
  readonly isNewestOfPerson: boolean;
  /** True if the message closely follows one by the same author, so that its head is only for screen readers. */
  readonly continues: boolean;
}

const AUTHORS = { person: "You", deckhand: "Deckhand", note: "Deckhand" } as const;

const CARD_WORDS = { approval: "Approval", question: "Question", plan: "Plan" } as const;

export function MessageItem({
  message,
  continues,
  state,
  now,
  controller,
  isNewestOfPerson,
}: MessageItemProps): JSX.Element {
  const { body } = message;
  const place = useKeptFocus(body.buttons.length > 0);
  const card = cardOf(body);
  return (
    <li class={`message ${kindOf(body)} ${body.tone}${continues ? " continues" : ""}`} aria-busy={isLive(body)}>
      <Avatar by={body.by} name={authorOf(body, state)} />
      <div class="message-body" id={bodyId(message.id)} ref={place} tabIndex={-1} {...asked(body)}>
        <p class="message-head">
          <span class="author">{authorOf(body, state)}</span>
          <time dateTime={new Date(message.at).toISOString()}>{clockTime(message.at, now)}</time>
          {body.by === "note" && <span class="tag">Only you see this</span>}
          {card !== null && <span class={`tag ${card}`}>{CARD_WORDS[card]}</span>}
          {body.tone === "error" && <span class="tag error">Failed</span>}
          {body.tone === "task" && <span class="tag task">Task</span>}
        </p>
        <Markdown text={body.markdown} />
        <Files files={body.files} />
        {body.footer !== undefined && <Markdown text={body.footer} class="footer" />}
        <Buttons
          buttons={mayAct(state) ? body.buttons : []}
          label={isQuestion(body) ? "Your decision" : "Actions"}
          isBusy={(action) => isPending(state, message.id, action)}
          click={(action) => controller.click(message.id, action)}
        />
        {body.by === "person" && (
          <Delivery
            body={body}
            isNewest={isNewestOfPerson}
            sending={state.sending.find((one) => one.clientId === message.id)}
            controller={controller}
          />
        )}
      </div>
    </li>
  );
}

function authorOf({ by, author }: MessageBody, { you }: PageState): string {
  return author === undefined || author.id === you?.personId ? AUTHORS[by] : author.name;
}

export function Avatar({ by, name }: { readonly by: MessageBody["by"]; readonly name: string }): JSX.Element {
  return (
    <span class={`avatar ${by}`} aria-hidden="true">
      {by === "person" ? name.slice(0, 1).toUpperCase() : <AnchorIcon />}
    </span>
  );
}

function kindOf(body: MessageBody): string {
  if (isLive(body)) return "live";
  if (isFolded(body)) return "folded";
  if (isDecided(body)) return "decided";
  return isQuestion(body) ? `question card-${cardOf(body)}` : body.by;
}

/** Element id of a message's body, as a target for links and focus. */
export function bodyId(messageId: string): string {
  return `message-${messageId}`;
}

/** Makes a question focusable and gives it an accessible name. */
function asked(body: MessageBody): HTMLAttributes<HTMLDivElement> {
  if (!isQuestion(body) || body.shows?.type !== "card") return {};
  return { role: "group", "aria-label": `Deckhand asks: ${plainText(body.shows.asks)}` };
}
