import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { FormDialog } from "../form-dialog.tsx";
import { useLoaded } from "../section/use-loaded.ts";
import { fetchChoices } from "../sessions/api.ts";
import { mayAct, type PageState } from "../state/state.ts";
import { Markdown } from "../text/markdown-text.tsx";
import { dueTimes } from "./due-times.ts";
import { useJobCommand } from "./use-job-command.ts";

interface NewJobProps {
  readonly state: PageState;
  readonly done: () => void;
}

/** A channel, and then the fields of its new job. */
export function NewJob({ state, done }: NewJobProps): JSX.Element | null {
  const { value: choices } = useLoaded("", fetchChoices);
  const [chosen, setChannel] = useState("");
  const commands = useJobCommand(state, done);
  if (choices === null || choices.channels.length === 0 || !mayAct(state)) return null;
  const [only, another] = choices.channels;
  const channelId = only !== undefined && another === undefined ? only.id : chosen;
  return (
    <div class="section-notes">
      <p class="chosen">
        <label>
          New job in{" "}
          <select value={channelId} onChange={({ currentTarget }) => setChannel(currentTarget.value)}>
            <option value="">choose a channel</option>
            {choices.channels.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          aria-disabled={channelId === "" || commands.isBusy}
          onClick={() => channelId !== "" && commands.run({ verb: "add", channelId })}
        >
          Fill in the form
        </button>
      </p>
      <div role="status">{commands.words !== null && <Markdown text={commands.words} />}</div>
      {commands.form !== null && (
        <FormDialog open={commands.form} controller={commands} follows={dueTimes({ channel: channelId })} />
      )}
    </div>
  );
}
