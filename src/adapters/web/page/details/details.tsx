import type { JSX } from "preact";
import { stateWords } from "../sessions/states.ts";
import { focusMessage } from "../shortcuts.tsx";
import { type Controller, commandAction, isPending } from "../state/controller.ts";
import { type RunHead, runHead } from "../state/run-details.ts";
import {
  mayAct,
  messagesOf,
  type Overview,
  type PageState,
  type Reply,
  sessionOf,
  whoMustAct,
} from "../state/state.ts";
import { BackIcon, CloseIcon } from "../text/icons.tsx";
import { Label, Markdown } from "../text/markdown-text.tsx";
import { Files } from "../thread/files.tsx";
import { ContextGauge, Cost, Grants, WaitingList } from "./details-lists.tsx";
import { JobDetails } from "./job-details.tsx";
import { Steps } from "./steps.tsx";

interface DetailsProps {
  readonly state: PageState;
  readonly controller: Controller;
  readonly back: () => void;
  /** Goes to the column with the jobs, on a narrow screen. */
  readonly toJobs: () => void;
}

/** The state of the thread, or of a job, shown beside the thread. */
export function Details({ state, controller, back, toJobs }: DetailsProps): JSX.Element {
  const reply = state.reply?.threadId === state.openId ? state.reply : null;
  const isJob = state.openJob !== null;
  const closeJob = (): void => {
    controller.openJob(null);
    toJobs();
  };
  return (
    <aside class="details" aria-label="Details">
      <header class="details-head">
        <button
          type="button"
          class="icon-button medium-only"
          aria-label={isJob ? "Back to the jobs" : "Back to the thread"}
          onClick={isJob ? closeJob : back}
        >
          <BackIcon />
        </button>
        <h2 tabIndex={-1}>{isJob ? "Job" : "Details"}</h2>
        {isJob && (
          <button type="button" class="icon-button close-job" aria-label="Close the job" onClick={closeJob}>
            <CloseIcon />
          </button>
        )}
      </header>
      <div class="details-body">
        {reply !== null && <PrivateReply reply={reply} close={controller.closeReply} />}
        {isJob ? (
          <JobDetails state={state} controller={controller} />
        ) : (
          <ThreadDetails state={state} controller={controller} back={back} />
        )}
      </div>
    </aside>
  );
}

type ThreadDetailsProps = Pick<DetailsProps, "state" | "controller" | "back">;

function ThreadDetails({ state, controller, back }: ThreadDetailsProps): JSX.Element {
  const head = runHead(messagesOf(state, state.openId));
  const session = sessionOf(state);
  return (
    <>
      {head.state !== "none" && <Run head={head} whom={whoMustAct(state)} />}
      {session !== null && <Session session={session} state={state} controller={controller} back={back} />}
      {head.state === "none" && session === null && (
        <p class="hint">
          What Deckhand does in a thread appears here: each step, the files it has changed, how full the model's memory
          is, what it cost, and what it may do without asking.
        </p>
      )}
    </>
  );
}

function Run({ head, whom }: { readonly head: RunHead; readonly whom: string }): JSX.Element {
  return (
    <section>
      <h3>Run</h3>
      <p>
        <span class={`run-state ${head.state}`}>
          <Label text={head.state === "waiting" ? `⏸ Waiting for ${whom}` : stateWords(head.state)} />
        </span>
      </p>
      {head.summary !== "" && (
        <p class="run-summary">
          <Label text={head.summary} />
        </p>
      )}
    </section>
  );
}

interface SessionProps extends ThreadDetailsProps {
  readonly session: NonNullable<Overview["session"]>;
}

function Session({ session, state, controller, back }: SessionProps): JSX.Element {
  const messages = messagesOf(state, state.openId);
  const goTo = (id: string): void => {
    const card = messages.find(({ body }) => body.buttons.some((button) => button.id.endsWith(`:${id}`)));
    back();
    if (card !== undefined) focusMessage(card.id);
  };
  const canRevoke = mayAct(state) && state.commands.some(({ name }) => name === "approvals");
  return (
    <>
      {session.waiting.length > 0 && <WaitingList waiting={session.waiting} whom={whoMustAct(state)} goTo={goTo} />}
      {session.steps.length > 0 && <Steps steps={session.steps} />}
      {session.files.length > 0 && (
        <section>
          <h3>Files changed in this thread</h3>
          <ul class="changed" aria-label="Files changed">
            {session.files.map(({ path, isGone }) => (
              <li key={path}>
                <code>{path}</code>
                {isGone && <span class="hint"> deleted</span>}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>This thread</h3>
        <p class="who">
          <b>{session.agent}</b> · mode {session.mode}
        </p>
        <p class="who">
          <code>{session.model}</code>
        </p>
        <ContextGauge context={session.context} />
        <Cost costUsd={session.costUsd} />
      </section>
      <Grants
        grants={session.grants}
        revoke={canRevoke ? (id) => controller.command("approvals", `revoke ${id}`) : null}
        isRevoking={(id) => isPending(state, "", commandAction("approvals", `revoke ${id}`))}
      />
    </>
  );
}

function PrivateReply({ reply, close }: { readonly reply: Reply; readonly close: () => void }): JSX.Element {
  return (
    <section class="reply" aria-label="Private answer">
      <header>
        <h3>Only you see this</h3>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <CloseIcon />
        </button>
      </header>
      <div role="status">
        <Markdown text={reply.body.markdown} />
        {reply.body.footer !== undefined && <Markdown text={reply.body.footer} class="footer" />}
      </div>
      <Files files={reply.body.files} />
    </section>
  );
}
