import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "../section/request.ts";
import { useAction } from "../section/use-action.ts";
import type { PageState } from "../state/state.ts";

interface TestKeyProps {
  readonly provider: { readonly id: string; readonly name: string };
  /** The typed key; if absent, the stored key is tested. */
  readonly typed?: string;
  readonly state: PageState;
}

/** Tests a key and shows the result in one line. */
export function TestKey({ provider: { id, name }, typed, state }: TestKeyProps): JSX.Element {
  const [outcome, setOutcome] = useState("");
  const { isBusy, problem, begin } = useAction();
  const test = async (): Promise<void> => {
    const body = typed === undefined ? { id } : { id, key: typed };
    const { ok, text } = await post<{ ok: boolean; text: string }>("/features/providers/test", body, state);
    setOutcome(`${ok ? "✓" : "✗"} ${text}`);
  };
  return (
    <>
      <button
        type="button"
        aria-label={typed === undefined ? `Test ${name}` : "Test this key"}
        aria-disabled={isBusy}
        onClick={() => begin(test)}
      >
        {isBusy ? "Testing…" : typed === undefined ? "Test" : "Test this key"}
      </button>{" "}
      <span role="status" class="key-outcome">
        {isBusy ? "" : (problem ?? outcome)}
      </span>
    </>
  );
}
