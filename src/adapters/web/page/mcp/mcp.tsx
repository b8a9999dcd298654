import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TeamServer, TeamServers } from "../../sessions/team-tools.ts";
import { LoadedView } from "../section/loaded-view.tsx";
import { Moment } from "../section/moment.tsx";
import { get, post } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useAction } from "../section/use-action.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { usePolling } from "../section/use-polling.ts";
import { type SignInAnswer, takeSignInAnswer } from "../state/sign-in-answer.ts";
import type { PageState } from "../state/state.ts";
import { Label } from "../text/markdown-text.tsx";
import { SignIn } from "./sign-in.tsx";

/** Polling interval while the page is open. In milliseconds. */
const EVERY_MS = 5_000;
/** The panel beside the threads that there is where servers are set; without it, nothing answers for them. */
const PANEL = "MCP servers";
const NONE: TeamServers = { rows: [], mayReconnect: false, maySignIn: false };

/** MCP servers as they stand, and their tools. */
export function McpServers({ state }: SectionProps): JSX.Element {
  const { overview } = state;
  const hasServers = overview?.panels.some(({ title }) => title === PANEL) === true;
  const loaded = useLoaded(`${hasServers}`, async (signal) =>
    hasServers ? get<TeamServers>("/features/mcp/servers", {}, signal) : NONE,
  );
  const { reload } = loaded;
  usePolling(reload, EVERY_MS);
  const [answer] = useState(takeSignInAnswer);
  if (overview === null) return <p class="hint centred">Loading…</p>;
  return (
    <LoadedView loaded={loaded}>
      {({ rows, ...may }) =>
        rows.length === 0 ? (
          <p class="hint centred">
            No MCP servers. An operator adds them under <code>mcpServers</code> in the settings file, in the format that
            other programs use.
          </p>
        ) : (
          <div class="overview">
            {answer === "unknown" && <UnknownAnswer />}
            {rows.map((server) => (
              <ServerPart
                key={server.name}
                server={server}
                may={may}
                answer={answer !== "unknown" && answer?.name === server.name ? answer : null}
                state={state}
                reload={reload}
              />
            ))}
          </div>
        )
      }
    </LoadedView>
  );
}

function UnknownAnswer(): JSX.Element {
  return (
    <p class="problem" role="alert">
      This answer belongs to a sign-in that was not begun in this tab. If <code>deckhand mcp sign-in</code> waits for
      it, paste this page's address there; otherwise sign in again.
    </p>
  );
}

const STATES: Readonly<Record<TeamServer["state"], string>> = {
  connecting: "connecting",
  connected: "connected",
  down: "not connected",
  stopped: "stopped",
  off: "off",
};

interface ServerPartProps {
  readonly server: TeamServer;
  readonly may: Omit<TeamServers, "rows">;
  readonly answer: SignInAnswer | null;
  readonly state: PageState;
  readonly reload: () => void;
}

function ServerPart({ server, may, answer, state, reload }: ServerPartProps): JSX.Element {
  const { name, where, problem, signIn, since, tools, leftOut } = server;
  const id = `mcp-${name}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {name} <span class="hint">{STATES[server.state]}</span>
      </h2>
      <p>
        {problem === null ? "Connected" : <Label text={problem} />}
        {problem === null && since !== null && (
          <>
            {" "}
            since <Moment at={since} />.
          </>
        )}
      </p>
      {signIn !== null && <SignIn {...{ name, signIn, answer, state }} mayChange={may.maySignIn} done={reload} />}
      {where !== "" && <p class="hint">It is {where}.</p>}
      <KindOfTools kind="reads" tools={tools} />
      <KindOfTools kind="sends" tools={tools} />
      {leftOut.length > 0 && (
        <details>
          <summary>{leftOut.length} left out</summary>
          <ul>
            {leftOut.map(({ tool, why }) => (
              <li key={tool}>
                <code>{tool}</code>: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
      {may.mayReconnect && server.state !== "off" && <Reconnect name={name} state={state} done={reload} />}
    </section>
  );
}

const KINDS = {
  reads: {
    one: "1 tool that reads: the request leaves this machine; nothing is changed",
    more: "tools that read: the requests leave this machine; nothing is changed",
  },
  sends: {
    one: "1 tool that sends: it may share or change something, and asks first",
    more: "tools that send: they may share or change something, and ask first",
  },
} as const;

function KindOfTools({ kind, tools }: { readonly kind: keyof typeof KINDS; readonly tools: TeamServer["tools"] }) {
  const those = tools.filter((tool) => tool.kind === kind);
  if (those.length === 0) return null;
  return (
    <details>
      <summary>{those.length === 1 ? KINDS[kind].one : `${those.length} ${KINDS[kind].more}`}</summary>
      <ul>
        {those.map(({ name, tool }) => (
          <li key={name}>
            <a href={`#/tools/${encodeURIComponent(name)}`}>{tool}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface ReconnectProps {
  readonly name: string;
  readonly state: PageState;
  readonly done: () => void;
}

function Reconnect({ name, state, done }: ReconnectProps): JSX.Element {
  const [outcome, setOutcome] = useState("");
  const { isBusy, problem, begin } = useAction();
  const reconnect = async (): Promise<void> => {
    const { server } = await post<{ server: TeamServer }>("/features/mcp/reconnect", { name }, state);
    setOutcome(server.problem ?? "Connected.");
    done();
  };
  return (
    <p>
      <button type="button" aria-label={`Reconnect ${name}`} aria-disabled={isBusy} onClick={() => begin(reconnect)}>
        {isBusy ? "Connecting…" : "Reconnect"}
      </button>{" "}
      <span role="status">{isBusy ? "" : (problem ?? outcome)}</span>
    </p>
  );
}
