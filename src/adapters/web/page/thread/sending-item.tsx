import type { JSX } from "preact";
import type { Controller } from "../state/controller.ts";
import type { PendingMessage } from "../state/state.ts";
import { Markdown } from "../text/markdown-text.tsx";
import { clockTime } from "../text/relative-time.ts";
import { Delivery } from "./delivery.tsx";
import { Files } from "./files.tsx";
import { Avatar } from "./message-item.tsx";

interface SendingItemProps {
  readonly message: PendingMessage;
  readonly now: number;
  readonly controller: Controller;
}

/** A message that the server has not accepted yet, or has refused. */
export function SendingItem({ message, now, controller }: SendingItemProps): JSX.Element {
  return (
    <li class="message person sending">
      <Avatar by="person" name="You" />
      <div class="message-body">
        <p class="message-head">
          <span class="author">You</span>
          <time dateTime={new Date(message.at).toISOString()}>{clockTime(message.at, now)}</time>
        </p>
        <Markdown text={message.text} />
        <Files files={message.files} />
        <Delivery body={null} isNewest sending={message} controller={controller} />
      </div>
    </li>
  );
}
