import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { PageMessage } from "../../../render/local/wire.ts";
import { isPending } from "../state/controller.ts";
import type { PageState } from "../state/state.ts";
import { Label } from "../text/markdown-text.tsx";

interface ButtonsProps {
  readonly message: PageMessage;
  readonly state: PageState;
  readonly label: string;
  readonly click: (messageId: string, action: string) => void;
}

export function Buttons({ message, state, label, click }: ButtonsProps): JSX.Element | null {
  const { buttons } = message.body;
  if (buttons.length === 0) return null;
  return (
    <div class="buttons" role="group" aria-label={label}>
      {buttons.map(({ id, label: words, style }) => {
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
            <Label text={words} />
          </button>
        );
      })}
    </div>
  );
}

/**
 * When buttons that had the focus go, what stays in their place has it: it would fall back to the beginning of the page
 * otherwise, and what was decided would not be read.
 */
export function useKeptFocus(hasButtons: boolean): { readonly current: HTMLDivElement | null } {
  const place = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (!hasButtons) return undefined;
    const remember = (event: FocusEvent): void => {
      hadFocus.current = event.target instanceof Node && place.current?.contains(event.target) === true;
    };
    document.addEventListener("focusin", remember);
    return () => document.removeEventListener("focusin", remember);
  }, [hasButtons]);
  useLayoutEffect(() => {
    if (hasButtons || !hadFocus.current) return;
    hadFocus.current = false;
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true });
  }, [hasButtons]);
  return place;
}
