import type { JSX } from "preact";
import { counted } from "../../../../core/text/counted.ts";
import { dollars, figure } from "../../../../core/text/dollars.ts";
import type { SessionCommand, SessionTask, TeamSession } from "../../sessions/team-sessions.ts";
import { Cost } from "../details/details-lists.tsx";
import { BackIcon } from "../text/icons.tsx";
import { Label } from "../text/markdown-text.tsx";
import { FileChange } from "./file-change.tsx";
import { stateWords } from "./states.ts";

interface SessionDetailsProps {
  /** Null if there is nothing to show. */
  readonly session: TeamSession | null;
  readonly back: () => void;
  /** The pressed button whose answer is pending. */
  readonly pending: string | null;
  readonly click: (action: string) => void;
}

/** The state of a session, shown beside it. */
export function SessionDetails({ session, back, pending, click }: SessionDetailsProps): JSX.Element {
  return (
    <section class="details" aria-label="Details">
      <header class="details-head">
        <button type="button" class="icon-button medium-only" aria-label="Back to the session" onClick={back}>
          <BackIcon />
        </button>
        <h2>Details</h2>
      </header>
      <div class="details-body">
        {session !== null && (
          <>
            <Facts session={session} />
            <Commands commands={session.commands} pending={pending} click={click} />
          </>
        )}
      </div>
    </section>
  );
}

function Facts({ session }: { readonly session: TeamSession }): JSX.Element {
  const { channel, workspace, platform, link, agent, mode, model, costUsd, usage, files, tasks, actsAs } = session;
  return (
    <>
      <section>
        <h3>Where</h3>
        <p class="who">
          <b>{channel}</b> · {workspace} · {platform}
        </p>
        {link !== null && (
          <p class="who">
            <a href={link} {...(link.startsWith("#") ? {} : APART)}>
              Open the thread
            </a>
          </p>
        )}
        <p class="hint">{actsAs === null ? "You can only read here." : `You act here as @${actsAs}.`}</p>
      </section>
      <section>
        <h3>Agent</h3>
        <p class="who">
          <b>{agent}</b> · mode {mode} · <code>{model}</code>
        </p>
        <Cost costUsd={costUsd} />
        <p class="hint">
          {counted(usage.calls, "model call")} · {figure(usage.tokens)} tokens
        </p>
      </section>
      {tasks.length > 0 && (
        <section>
          <h3>Sub-agents</h3>
          <Tasks tasks={tasks} label="Sub-agents" />
        </section>
      )}
      {files.length > 0 && (
        <section>
          <h3>Files changed</h3>
          <ul class="changed" aria-label="Files changed">
            {files.map(({ path, isGone }) => (
              <li key={path}>
                <FileChange sessionId={session.id} path={path} isGone={isGone} mark={session.updatedAt} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const APART = { target: "_blank", rel: "noopener noreferrer" };

const COMMAND_WORDS: Readonly<Record<SessionCommand, string>> = {
  "command:export": "Export as Markdown",
  "command:fork": "Fork into a new thread",
};

function Commands({
  commands,
  pending,
  click,
}: Pick<TeamSession, "commands"> & Pick<SessionDetailsProps, "pending" | "click">): JSX.Element | null {
  if (commands.length === 0) return null;
  return (
    <section>
      <h3>Session</h3>
      <div class="buttons">
        {commands.map((command) => (
          <button key={command} type="button" aria-disabled={pending !== null} onClick={() => click(command)}>
            {COMMAND_WORDS[command]}
          </button>
        ))}
      </div>
    </section>
  );
}

interface TasksProps {
  readonly tasks: readonly SessionTask[];
  readonly label: string;
}

/** Sub-agents, each with the ones that it started below it. */
function Tasks({ tasks, label }: TasksProps): JSX.Element {
  return (
    <ul class="tasks" aria-label={label}>
      {tasks.map(({ id, agent, description, state, costUsd, tasks: below }) => (
        <li key={id}>
          <a href={`#/sessions/${encodeURIComponent(id)}`}>{description === "" ? agent : description}</a>
          <span class="hint">
            {" "}
            {agent} · <Label text={stateWords(state)} />
            {costUsd !== null && costUsd > 0 && ` · ${dollars(costUsd)}`}
          </span>
          {below.length > 0 && <Tasks tasks={below} label={`Sub-agents of ${description}`} />}
        </li>
      ))}
    </ul>
  );
}
