import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SavedSettings } from "../../sessions/team-settings.ts";
import { Dialog } from "../dialog.tsx";
import { post } from "../section/request.ts";
import { useAction } from "../section/use-action.ts";
import type { PageState } from "../state/state.ts";
import { DifferenceTable } from "./difference-table.tsx";
import { nameOf } from "./paths.ts";
import type { Draft } from "./use-draft.ts";

interface ReviewDialogProps {
  readonly draft: Draft;
  /** The revision that the changes are based on. */
  readonly base: number;
  readonly state: PageState;
  readonly saved: (number: number) => void;
  /** Called if somebody else has saved meanwhile and the settings must be reloaded. */
  readonly overtaken: () => void;
  readonly close: () => void;
}

type Conflict = Extract<SavedSettings, { type: "conflict" }>;

export function ReviewDialog(props: ReviewDialogProps): JSX.Element {
  const { draft, close } = props;
  const saving = useSaving(props);
  const { checked, failure } = draft;
  return (
    <Dialog
      title="Save these settings?"
      className="review"
      words={saving.conflict === null ? "Save" : "Save my changes over theirs"}
      cancel="Keep editing"
      isSending={saving.isSending}
      isReady={saving.maySave}
      problem={saving.failure ?? failure ?? (draft.problems.length > 0 ? MARKED : null)}
      goAhead={saving.save}
      close={close}
    >
      {saving.conflict !== null && <ConflictNote conflict={saving.conflict} />}
      {checked === null && failure === null && <p class="hint">Checking the changes…</p>}
      {checked !== null && <DifferenceTable caption="What changes" differences={checked.differences} showsEffect />}
      {checked?.warnings.map((warning) => (
        <p key={warning} class="warning">
          ⚠ {warning}
        </p>
      ))}
    </Dialog>
  );
}

const MARKED = "Some of these changes have problems. They are marked beside their fields.";

function useSaving({ draft, base, state, saved, overtaken }: ReviewDialogProps) {
  const action = useAction();
  const [refusal, setRefusal] = useState<string | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const { checked, problems } = draft;
  const maySave = checked !== null && problems.length === 0 && checked.differences.length > 0;
  const save = async (): Promise<void> => {
    setRefusal(null);
    const body = { after: base, changes: [...draft.changes.values()] };
    const answer = await post<SavedSettings>("/features/configuration/save", body, state);
    if (answer.type === "saved") return saved(answer.number);
    if (answer.type === "refused") {
      setRefusal(answer.problems.map(({ path, text }) => `${nameOf(path)}: ${text}`).join(" "));
    } else {
      setConflict(answer);
      overtaken();
    }
  };
  return {
    isSending: action.isBusy,
    failure: action.problem ?? refusal,
    conflict,
    maySave,
    save: () => action.begin(save),
  };
}

function ConflictNote({ conflict: { newest, since } }: { readonly conflict: Conflict }): JSX.Element {
  return (
    <>
      <p class="problem" role="alert">
        {newest.by} has saved revision {newest.number} meanwhile. Your changes are still here; below they are shown
        against it.
      </p>
      <h3>Changes by {newest.by}</h3>
      <DifferenceTable caption={`Changes by ${newest.by}`} differences={since} showsEffect={false} />
      <h3>Your changes</h3>
    </>
  );
}
