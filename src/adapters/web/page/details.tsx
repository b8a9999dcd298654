import type { JSX } from "preact";
import type { Controller } from "./controller.ts";
import { Files } from "./files.tsx";
import { BackIcon, CloseIcon } from "./icons.tsx";
import { renderInline } from "./markdown.ts";
import { Markdown } from "./markdown-text.tsx";
import { type RunDetails, runDetails, type Step } from "./run-details.ts";
import { messagesOf, type PageState, type Reply } from "./state.ts";

interface DetailsProps {
  readonly state: PageState;
  readonly controller: Controller;
  readonly back: () => void;
}

const STATE_WORDS: Readonly<Record<RunDetails["state"], string>> = {
  none: "",
  working: "⏳ Working",
  waiting: "⏸ Waiting for you",
  done: "✓ Done",
  failed: "✗ Failed",
  stopped: "⏹ Stopped",
};

/** What is known about the thread's newest run, beside the thread. */
export function Details({ state, controller, back }: DetailsProps): JSX.Element {
  const details = runDetails(messagesOf(state, state.openId), state.steps);
  const reply = state.reply?.threadId === state.openId ? state.reply : null;
  return (
    <aside class="details" aria-label="Details">
      <header class="details-head">
        <button type="button" class="icon-button medium-only" aria-label="Back to the thread" onClick={back}>
          <BackIcon />
        </button>
        <h2>Details</h2>
      </header>
      <div class="details-body">
        {reply !== null && <PrivateReply reply={reply} close={controller.closeReply} />}
        {details.state === "none" ? (
          <p class="hint">While Deckhand works, its steps, the files it changed and what it cost are shown here.</p>
        ) : (
          <Run details={details} />
        )}
      </div>
    </aside>
  );
}

function Run({ details }: { readonly details: RunDetails }): JSX.Element {
  return (
    <>
      <section>
        <h3>Run</h3>
        <p>
          <Inline text={STATE_WORDS[details.state]} class={`run-state ${details.state}`} />
        </p>
        <Inline text={details.summary} class="run-summary" />
      </section>
      {(details.steps.length > 0 || details.hasMoreSteps) && (
        <section>
          <h3>Steps</h3>
          <ol class="steps">
            {details.steps.map((step, index) => (
              <StepLine key={index} step={step} />
            ))}
          </ol>
          {details.hasMoreSteps && <p class="hint">Not every step was seen here. “Details” in the thread lists all.</p>}
        </section>
      )}
      {details.changedFiles.length > 0 && (
        <section>
          <h3>Files changed</h3>
          <ul class="changed">
            {details.changedFiles.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {details.costUsd !== null && (
        <section>
          <h3>Cost of this thread</h3>
          <p class="cost">${details.costUsd.toFixed(details.costUsd < 1 ? 3 : 2)}</p>
        </section>
      )}
    </>
  );
}

function StepLine({ step }: { readonly step: Step }): JSX.Element {
  return (
    <li>
      <Inline text={step.sign} class="step-sign" />
      <Inline text={step.text} class="step-text" />
    </li>
  );
}

function Inline(props: { readonly text: string; readonly class: string }): JSX.Element {
  return <span class={props.class} dangerouslySetInnerHTML={{ __html: renderInline(props.text) }} />;
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
