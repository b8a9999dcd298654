import type { JSX } from "preact";
import type { RunStep } from "../../../../core/protocol/session-summary.ts";
import { Label } from "../text/markdown-text.tsx";

const SIGNS: Readonly<Record<RunStep["state"], string>> = { waiting: "⏸", working: "⏳", done: "✓", failed: "✗" };

/** Minimum duration for which a step shows how long it took. In milliseconds. */
const WORTH_TELLING_MS = 100;

/** The newest run's steps. */
export function Steps({ steps }: { readonly steps: readonly RunStep[] }): JSX.Element {
  return (
    <section>
      <h3>Steps</h3>
      <StepList steps={steps} />
    </section>
  );
}

export function StepList({ steps }: { readonly steps: readonly RunStep[] }): JSX.Element {
  return (
    <ol class="steps" aria-label="Steps">
      {steps.map((step) => (
        <li key={step.id}>
          <StepItem step={step} />
        </li>
      ))}
    </ol>
  );
}

/** A tool call in one line, which expands to its input and output. */
function StepItem({ step }: { readonly step: RunStep }): JSX.Element {
  return (
    <details>
      <summary>
        <Label text={SIGNS[step.state]} />
        <span class="step-what">
          {step.agent !== null && <span class="hint">{step.agent}: </span>}
          {step.tool} {step.title !== "" && <code>{step.title}</code>}
        </span>
        <span class="step-time">{time(step.durationMs)}</span>
      </summary>
      <Part title="Input" text={step.input} />
      {step.result !== null && <Part title="Result" text={step.result} />}
    </details>
  );
}

function Part({ title, text }: { readonly title: string; readonly text: string }): JSX.Element {
  return (
    <>
      <p class="step-part">{title}</p>
      <pre tabIndex={0} role="region" aria-label={title}>
        {text}
      </pre>
    </>
  );
}

function time(durationMs: number | null): string {
  if (durationMs === null || durationMs < WORTH_TELLING_MS) return "";
  return `${(durationMs / 1_000).toFixed(durationMs < 10_000 ? 1 : 0)} s`;
}
