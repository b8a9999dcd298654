import type { JSX } from "preact";
import type { SessionEntry } from "../../sessions/team-sessions.ts";
import { StepList } from "../details/steps.tsx";
import { Markdown } from "../text/markdown-text.tsx";
import { clockTime } from "../text/relative-time.ts";
import { Avatar } from "../thread/message-item.tsx";

type Said = Extract<SessionEntry, { kind: "message" }>;
type Step = Extract<SessionEntry, { kind: "step" }>;

interface EntriesProps {
  readonly entries: readonly SessionEntry[];
  readonly streamed: string;
  readonly agent: string;
  readonly now: number;
}

/** Messages and steps in order; consecutive steps are grouped. */
export function Entries({ entries, streamed, agent, now }: EntriesProps): JSX.Element {
  return (
    <ol class="messages" aria-label="Messages">
      {grouped(entries).map((group) =>
        Array.isArray(group) ? (
          <li key={`steps ${group[0]?.step.id}`} class="entry-steps">
            <StepList steps={group.map(({ step }) => step)} />
          </li>
        ) : (
          <Message key={group.id} message={group} agent={agent} now={now} />
        ),
      )}
      {streamed.trim() !== "" && (
        <li class="message live" aria-busy="true">
          <Avatar by="deckhand" name={agent} />
          <div class="message-body">
            <p class="message-head">
              <span class="author">{agent}</span>
            </p>
            <Markdown text={streamed} />
          </div>
        </li>
      )}
    </ol>
  );
}

function grouped(entries: readonly SessionEntry[]): (Said | Step[])[] {
  const groups: (Said | Step[])[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (entry.kind === "message") groups.push(entry);
    else if (Array.isArray(last)) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

interface MessageProps {
  readonly message: Said;
  readonly agent: string;
  readonly now: number;
}

function Message({ message: { by, author, markdown, tone, at }, agent, now }: MessageProps): JSX.Element {
  const name = by === "agent" ? agent : author;
  return (
    <li class={`message ${by === "person" ? "person" : "deckhand"} ${tone}`}>
      <Avatar by={by === "person" ? "person" : "deckhand"} name={name} />
      <div class="message-body">
        <p class="message-head">
          <span class="author">{by === "note" ? "Note" : name}</span>
          <time dateTime={new Date(at).toISOString()}>{clockTime(at, now)}</time>
          {tone === "error" && <span class="tag error">Failed</span>}
          {tone === "task" && <span class="tag task">Task</span>}
        </p>
        <Markdown text={markdown} />
      </div>
    </li>
  );
}
