import type { JSX } from "preact";
import type { PageJobDetails } from "../../wire.ts";
import { useQuestion } from "../section/use-question.ts";
import { Label } from "../text/markdown-text.tsx";
import { until } from "../text/relative-time.ts";

/** Parts of a job shown both beside a thread and on the job's own page. */

export function JobState({
  job: { isEnabled, isDone, pausedBecause },
}: {
  readonly job: Pick<PageJobDetails, "isEnabled" | "isDone" | "pausedBecause">;
}): JSX.Element {
  if (isDone) {
    return (
      <p class="job-state">
        <Label text="✓ Done" />
      </p>
    );
  }
  const paused = pausedBecause === null ? "⏸ Paused" : `⏸ Paused: ${pausedBecause}`;
  return (
    <p class={isEnabled ? "job-state" : "job-state paused"}>
      <Label text={isEnabled ? "✓ Enabled" : paused} />
    </p>
  );
}

/** When it is due next, in a few words. */
export function nextOf(
  { isEnabled, isDone, nextAt }: Pick<PageJobDetails, "isEnabled" | "isDone" | "nextAt">,
  now: number,
): string {
  if (isDone) return "done";
  if (!isEnabled) return "paused";
  return nextAt === null ? "not due again" : until(nextAt, now);
}

export function NextTimes({ next }: Pick<PageJobDetails, "next">): JSX.Element | null {
  if (next.length === 0) return null;
  return (
    <section>
      <h3>Next</h3>
      <ul class="job-times" aria-label="Next">
        {next.map((due) => (
          <li key={due}>{due}</li>
        ))}
      </ul>
    </section>
  );
}

export function WhatItDoes({ prompt, settings }: Pick<PageJobDetails, "prompt" | "settings">): JSX.Element {
  return (
    <section>
      <h3>What it does</h3>
      <p class="job-prompt">{prompt ?? "Only people in its private channel can see this."}</p>
      <p class="hint">{settings.join(" · ")}</p>
    </section>
  );
}

export type JobVerb = "run" | "enable" | "disable" | "edit" | "remove";

interface JobActionsProps {
  readonly job: Pick<PageJobDetails, "name" | "isEnabled" | "isFromFile" | "isTheirs">;
  /** Whether the answer to this action is pending. */
  readonly isBusy: (verb: JobVerb) => boolean;
  readonly act: (verb: JobVerb) => void;
}

export function JobActions({ job, isBusy, act }: JobActionsProps): JSX.Element {
  const { isAsking, ask, keep, button, place } = useQuestion();
  const { name, isEnabled, isFromFile, isTheirs } = job;
  if (!isTheirs) return <p class="hint">Only its owner and admins can run, change or remove it.</p>;
  const action = (verb: JobVerb, words: string): JSX.Element => (
    <button
      type="button"
      class={verb === "remove" ? "danger" : "default"}
      aria-disabled={isBusy(verb)}
      aria-busy={isBusy(verb)}
      onClick={() => act(verb)}
    >
      {words}
    </button>
  );
  return (
    <>
      <div class="buttons" role="group" aria-label="Job actions">
        {action("run", "Run now")}
        {action(isEnabled ? "disable" : "enable", isEnabled ? "Pause" : "Enable")}
        {!isFromFile && action("edit", "Edit")}
        {!isFromFile && !isAsking && (
          <button ref={button} type="button" class="danger" onClick={ask}>
            Remove
          </button>
        )}
      </div>
      {isFromFile && <p class="hint">It comes from the jobs file. Change or remove it there.</p>}
      {isAsking && (
        // A removed job cannot be restored.
        <div ref={place} class="job-removal" role="group" aria-label={`Remove ${name}?`} tabIndex={-1}>
          <p>Remove this job for good?</p>
          <div class="buttons">
            {action("remove", "Remove for good")}
            <button type="button" onClick={keep}>
              Keep it
            </button>
          </div>
        </div>
      )}
    </>
  );
}
