import type { JSX } from "preact";

interface ProblemProps {
  /** Null if nothing is wrong. */
  readonly text: string | null;
  readonly id?: string;
}

/** Says what is wrong. */
export function Problem({ text, id }: ProblemProps): JSX.Element | null {
  if (text === null) return null;
  return (
    <p class="problem" id={id} role="alert">
      {text}
    </p>
  );
}
