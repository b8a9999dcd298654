import type { JSX } from "preact";
import type { MessageBody, PageMessage } from "../wire.ts";
import { isPending } from "./controller.ts";
import { Files } from "./files.tsx";
import { AnchorIcon } from "./icons.tsx";
import { Markdown } from "./markdown-text.tsx";
import type { PageState } from "./state.ts";
import { clockTime } from "./when.ts";

interface MessageItemProps {
  readonly message: PageMessage;
  readonly state: PageState;
  readonly now: number;
  readonly click: (messageId: string, action: string) => void;
  readonly isNewestOfPerson: boolean;
}

const AUTHORS = { person: "You", deckhand: "Deckhand", note: "Deckhand" } as const;

export function MessageItem({ message, state, now, click, isNewestOfPerson }: MessageItemProps): JSX.Element {
  const { body } = message;
  const isLive = body.buttons.some(({ id }) => id.startsWith("stop:"));
  const kind = isLive ? "live" : body.by;
  return (
    <li class={`message ${kind} ${body.tone}`} aria-busy={isLive}>
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
        <Buttons message={message} state={state} click={click} />
        {body.by === "person" && (
          <p class="delivery">{delivery(body, isNewestOfPerson, isOnItsWay(state, message.id))}</p>
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

/** Stored is not yet taken: the server's word comes when the message is durable everywhere. */
function isOnItsWay(state: PageState, messageId: string): boolean {
  return state.sending.some((one) => one.clientId === messageId && one.failure === null);
}

function delivery({ signs }: MessageBody, isNewest: boolean, isSending: boolean): string {
  if (signs.includes("seen")) return "✓ read";
  if (signs.includes("working")) return isNewest ? "⏳ working on it" : "";
  if (isSending) return "Sending…";
  return isNewest ? "Sent" : "";
}

function Buttons({ message, state, click }: Pick<MessageItemProps, "message" | "state" | "click">): JSX.Element | null {
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
            {label}
          </button>
        );
      })}
    </div>
  );
}
