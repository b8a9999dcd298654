/** What `doctor` found about one thing: what is so and, where it is wrong, how to mend it. */
export interface Finding {
  readonly ok: boolean;
  readonly text: string;
  /** Nothing is broken, and somebody should look at it. */
  readonly isWarning?: true;
}

export const good = (text: string): Finding => ({ ok: true, text });
export const bad = (text: string): Finding => ({ ok: false, text });
