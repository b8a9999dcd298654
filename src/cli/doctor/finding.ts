/** A finding of `doctor`: the state of something and, if it is wrong, how to fix it. */
export interface Finding {
  readonly ok: boolean;
  readonly text: string;
  /** Nothing is broken, but the operator should look at it. */
  readonly isWarning?: true;
}

export const good = (text: string): Finding => ({ ok: true, text });
export const bad = (text: string): Finding => ({ ok: false, text });
export const warned = (text: string): Finding => ({ ok: true, isWarning: true, text });
