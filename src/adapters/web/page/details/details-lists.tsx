import type { JSX } from "preact";
import { dollars, figure } from "../../../../core/text/dollars.ts";
import type { Overview } from "../state/state.ts";
import { Label } from "../text/markdown-text.tsx";

type Session = NonNullable<Overview["session"]>;

interface WaitingListProps {
  readonly waiting: Session["waiting"];
  readonly whom: string;
  /** Leads to the card of an approval or a question. */
  readonly goTo: (id: string) => void;
}

const ASKED: Readonly<Record<Session["waiting"][number]["kind"], string>> = {
  approval: "May I?",
  question: "Question",
  plan: "Plan",
};

export function WaitingList({ waiting, whom, goTo }: WaitingListProps): JSX.Element {
  return (
    <section>
      <h3>Waiting for {whom}</h3>
      <ul class="waiting-list" aria-label={`Waiting for ${whom}`}>
        {waiting.map(({ id, kind, title }) => (
          <li key={id}>
            <span>
              <span class="hint">{ASKED[kind]}</span> <Label text={title} />
            </span>
            <button type="button" onClick={() => goTo(id)}>
              Show
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Share of the context window from which the page warns, as the thread's own warnings do. */
const NEARLY_FULL = 0.8;

export function ContextGauge({ context }: { readonly context: Session["context"] }): JSX.Element | null {
  if (context === null) return null;
  const share = Math.min(1, context.tokens / context.window);
  const words = `${Math.round(share * 100)} % of the model's memory`;
  return (
    <div class="gauge">
      <div
        class={share >= NEARLY_FULL ? "gauge-bar nearly-full" : "gauge-bar"}
        role="meter"
        aria-label="Context"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={words}
      >
        <span style={{ inlineSize: `${share * 100}%` }} />
      </div>
      <p class="hint">
        {words} · {figure(context.tokens)} of {figure(context.window)} tokens
      </p>
    </div>
  );
}

export function Cost({ costUsd }: { readonly costUsd: number | null }): JSX.Element {
  if (costUsd === null) return <p class="hint">Cost unknown: this model has no known price.</p>;
  if (costUsd === 0) return <p class="hint">No cost so far.</p>;
  return (
    <p>
      <span class="cost">{dollars(costUsd)}</span> <span class="hint">so far</span>
    </p>
  );
}

interface GrantsProps {
  readonly grants: Session["grants"];
  /** Revokes a grant; null if grants cannot be revoked. */
  readonly revoke: ((id: string) => void) | null;
  readonly isRevoking: (id: string) => boolean;
}

export function Grants({ grants, revoke, isRevoking }: GrantsProps): JSX.Element | null {
  if (grants.length === 0) return null;
  return (
    <section>
      <h3>Allowed without asking</h3>
      <ul class="grants" aria-label="Allowed without asking">
        {grants.map(({ id, what, scope, grantedBy }) => (
          <li key={id}>
            <span>
              <Label text={what} />
              <span class="hint">
                {" "}
                {scope === "always" ? "always here" : "in this thread"}, by {grantedBy}
              </span>
            </span>
            {revoke !== null && (
              <button
                type="button"
                aria-label={`Revoke: ${what}`}
                aria-disabled={isRevoking(id)}
                onClick={() => revoke(id)}
              >
                Revoke
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
