import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { nextTry } from "../../../../core/text/next-try.ts";
import type { PagePanel } from "../../wire.ts";
import { Label } from "../text/markdown-text.tsx";
import { useNow } from "../use-now.ts";

/** The panels of features that have something to show. */
export function Panels({ panels }: { readonly panels: readonly PagePanel[] }): JSX.Element {
  return <>{panels.map((panel) => panel.lines.length > 0 && <Panel key={panel.title} {...panel} />)}</>;
}

function Panel({ title, lines }: PagePanel): JSX.Element {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul>
        {lines.map(({ line, nextAt }) => (
          <li key={line}>
            <Label text={line} />
            {nextAt !== null && <NextTry at={nextAt} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function NextTry({ at }: { readonly at: number }): JSX.Element {
  const now = useNow(1_000);
  return <> {nextTry(at, now)}</>;
}
