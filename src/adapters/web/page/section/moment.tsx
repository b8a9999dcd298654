import type { JSX } from "preact";

/** A time as the reader's clock and language have it. */
export function Moment({ at }: { readonly at: number }): JSX.Element {
  return <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleString()}</time>;
}
