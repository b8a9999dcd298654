import { type RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Question {
  readonly isAsking: boolean;
  readonly ask: () => void;
  /** Closes the question, and returns the focus to the button. */
  readonly keep: () => void;
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly place: RefObject<HTMLDivElement | null>;
}

/** A question that a button opens in its place; it takes the focus. */
export function useQuestion(): Question {
  const [isAsking, setAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), [isAsking]);
  const keep = (): void => {
    setAsking(false);
    requestAnimationFrame(() => button.current?.focus());
  };
  return { isAsking, ask: () => setAsking(true), keep, button, place };
}
