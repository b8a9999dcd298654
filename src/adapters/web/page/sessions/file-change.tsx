import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SessionChange } from "../../sessions/team-sessions.ts";
import { get, nullIfNotFound } from "../section/request.ts";
import { diffText } from "../text/diff-text.ts";
import { Markdown } from "../text/markdown-text.tsx";

const NOT_LOADED = "Could not be loaded.";

interface FileChangeProps {
  readonly sessionId: string;
  readonly path: string;
  readonly isGone: boolean;
  /** Changes whenever the session has progressed. */
  readonly mark: number;
}

/** A file that a session has changed; it expands to the changed lines. */
export function FileChange({ sessionId, path, isGone, mark }: FileChangeProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const [shown, setShown] = useState<string | null>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const ending = new AbortController();
    const { signal } = ending;
    const show = (text: string) => {
      if (!signal.aborted) setShown(text);
    };
    changeText(sessionId, path, signal).then(show, () => show(NOT_LOADED));
    return () => ending.abort();
  }, [isOpen, sessionId, path, mark]);
  return (
    <details class="file-change" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <code>{path}</code>
        {isGone && <span class="hint"> deleted</span>}
      </summary>
      {isOpen && (shown === null ? <p class="hint">Loading…</p> : <Markdown text={shown} />)}
    </details>
  );
}

/** Returns the changed lines with some context, or why they are missing, as Markdown. */
async function changeText(sessionId: string, path: string, signal: AbortSignal): Promise<string> {
  const address = `/sessions/${encodeURIComponent(sessionId)}/change`;
  const change = await nullIfNotFound(get<SessionChange>(address, { path }, signal));
  if (change === null) return "Nothing to show.";
  const { before, after, notShown } = change;
  if (notShown !== null) return notShown;
  return diffText(before, after);
}
