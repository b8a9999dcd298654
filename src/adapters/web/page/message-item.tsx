import type { JSX } from "preact";
import type { MessageBody, PageMessage } from "../wire.ts";
import { type Controller, isPending } from "./controller.ts";
import { Delivery } from "./delivery.tsx";
import { Files } from "./files.tsx";
import { AnchorIcon } from "./icons.tsx";
import { Label, Markdown } from "./markdown-text.tsx";
import { isFolded, isLive, isQuestion } from "./run-details.ts";
import type { PageState } from "./state.ts";
import { clockTime } from "./when.ts";

interface MessageItemProps {
  readonly message: PageMessage;
  readonly state: PageState;
  readonly now: number;
  readonly controller: Controller;
  readonly isNewestOfPerson: boolean;
  /** Follows closely on a message of the same author: its head is only spoken. */
  readonly continues: boolean;
}

const AUTHORS = { person: "You", deckhand: "Deckhand", note: "Deckhand" } as const;

export function MessageItem({
  message,
  continues,
  state,
  now,
  controller,
  isNewestOfPerson,
}: MessageItemProps): JSX.Element {
  const { body } = message;
  return (
    <li class={`message ${kindOf(body)} ${body.tone}${continues ? " continues" : ""}`} aria-busy={isLive(body)}>
      <Avatar by={body.by} />
      <div class="message-body">
        <p class="message-head">
          <span class="author">{AUTHORS[body.by]}</span>
          <time dateTime={new Date(message.at).toISOString()}>{clockTime(message.at, now)}</time>
          {body.by === "note" && <span class="tag">Private note</span>}
          {body.tone === "error" && <span class="tag error">Failed</span>}
          {body.tone === "task" && <span class="tag task">Task</span>}
        </p>
        <Markdown text={body.markdown} />
        <Files files={body.files} />
        {body.footer !== undefined && <Markdown text={body.footer} class="footer" />}
        <Buttons message={message} state={state} click={controller.click} />
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

export function Avatar({ by }: { readonly by: MessageBody["by"] }): JSX.Element {
  return (
    <span class={`avatar ${by}`} aria-hidden="true">
      {by === "person" ? "Y" : <AnchorIcon />}
    </span>
  );
}

function kindOf(body: MessageBody): string {
  if (isLive(body)) return "live";
  if (isFolded(body)) return "folded";
  return isQuestion(body) ? "question" : body.by;
}

interface ButtonsProps {
  readonly message: PageMessage;
  readonly state: PageState;
  readonly click: (messageId: string, action: string) => void;
}

function Buttons({ message, state, click }: ButtonsProps): JSX.Element | null {
  const { buttons } = message.body;
  if (buttons.length === 0) return null;
  return (
    <div class="buttons" role="group" aria-label="Actions">
      {buttons.map(({ id, label, style }) => {
        const isWaiting = isPending(state, message.id, id);
        return (
          <button
            key={id}
            type="button"
            class={style}
            aria-disabled={isWaiting}
            aria-busy={isWaiting}
            onClick={() => click(message.id, id)}
          >
            <Label text={label} />
          </button>
        );
      })}
    </div>
  );
}
