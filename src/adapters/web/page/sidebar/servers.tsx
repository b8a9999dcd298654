import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { nextTry } from "../../../../core/protocol/next-try.ts";
import type { PageServer } from "../../wire.ts";
import { Label } from "../text/markdown-text.tsx";

/** How each MCP server stands; nothing where there is none. */
export function Servers({ servers }: { readonly servers: readonly PageServer[] }): JSX.Element | null {
  if (servers.length === 0) return null;
  return (
    <section class="servers" aria-labelledby="servers-title">
      <h2 id="servers-title">MCP servers</h2>
      <ul>
        {servers.map(({ line, nextAt }) => (
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
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <> {nextTry(at, now)}</>;
}
