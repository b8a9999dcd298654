import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { MessageBody } from "../../../render/local/wire.ts";
import { Label } from "../text/markdown-text.tsx";

interface ButtonsProps {
  readonly buttons: readonly MessageBody["buttons"][number][];
  readonly label: string;
  /** Whether the button was pressed and its answer is pending. */
  readonly isBusy: (action: string) => boolean;
  /** True if all buttons are disabled. */
  readonly isDisabled?: boolean;
  readonly click: (action: string) => void;
}

export function Buttons({ buttons, label, isBusy, isDisabled = false, click }: ButtonsProps): JSX.Element | null {
  if (buttons.length === 0) return null;
  return (
    <div class="buttons" role="group" aria-label={label}>
      {buttons.map(({ id, label: words, style }) => (
        <button
          key={id}
          type="button"
          class={style}
          aria-disabled={isDisabled || isBusy(id)}
          aria-busy={isBusy(id)}
          onClick={() => click(id)}
        >
          <Label text={words} />
        </button>
      ))}
    </div>
  );
}

/**
 * Moves the focus from buttons that disappear to the content in their place. It would otherwise fall back to the start
 * of the page, and a screen reader would not read the decision.
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
