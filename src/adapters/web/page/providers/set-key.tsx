import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../dialog.tsx";
import { Problem } from "../problem.tsx";
import { post } from "../section/request.ts";
import { useAction } from "../section/use-action.ts";
import type { PageState } from "../state/state.ts";
import { TestKey } from "./test-key.tsx";

interface SetKeyProps {
  readonly provider: { readonly id: string; readonly name: string; readonly hasKey: boolean };
  readonly state: PageState;
  readonly done: () => void;
  readonly close: () => void;
}

/** Sets a new key, which can be tested before it is stored and is never shown again. */
export function SetKey({ provider: { id, name, hasKey }, state, done, close }: SetKeyProps): JSX.Element {
  const [key, setKey] = useState("");
  const { isBusy, problem, begin, forget } = useAction();
  const save = async (): Promise<void> => {
    await post("/features/providers/key", { id, key }, state);
    close();
    done();
  };
  return (
    <Dialog
      title={hasKey ? `Replace the key for ${name}` : `Set a key for ${name}`}
      words="Save key"
      isSending={isBusy}
      goAhead={() => begin(save)}
      close={close}
    >
      <KeyField
        problem={problem}
        onInput={(typed) => {
          setKey(typed);
          forget();
        }}
      />
      {key.trim() !== "" && (
        <p>
          <TestKey provider={{ id, name }} typed={key} state={state} />
        </p>
      )}
    </Dialog>
  );
}

/** Asks for confirmation, because a removed key cannot be restored. */
export function RemoveKey({ provider: { id, name }, state, done, close }: SetKeyProps): JSX.Element {
  const { isBusy, problem, begin } = useAction();
  const remove = async (): Promise<void> => {
    await post("/features/providers/key/remove", { id }, state);
    close();
    done();
  };
  return (
    <Dialog
      title={`Remove the key for ${name}?`}
      words="Remove key"
      isDanger
      isSending={isBusy}
      problem={problem}
      goAhead={() => begin(remove)}
      close={close}
    >
      <p>There is no other copy of it here. Whatever uses it needs another key from the next model call.</p>
    </Dialog>
  );
}

interface KeyFieldProps {
  readonly problem: string | null;
  readonly onInput: (typed: string) => void;
}

function KeyField({ problem, onInput }: KeyFieldProps): JSX.Element {
  return (
    <div class="field">
      <label for="provider-key">Key</label>
      <input
        id="provider-key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        autofocus
        aria-describedby={problem === null ? "key-hint" : "key-hint key-problem"}
        aria-invalid={problem !== null}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <p class="hint" id="key-hint">
        It is stored encrypted, never shown again, and used from the next model call.
      </p>
      <Problem text={problem} id="key-problem" />
    </div>
  );
}
