import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../../../core/text/counted.ts";
import type { SessionToDelete } from "../../sessions/team-sessions.ts";
import { Dialog } from "../dialog.tsx";
import { get, post } from "../section/request.ts";
import { useAction } from "../section/use-action.ts";
import { useLoaded } from "../section/use-loaded.ts";
import type { PageState } from "../state/state.ts";

interface DeleteSessionProps {
  readonly sessionId: string;
  /** A change of this value repeats the request. */
  readonly mark: string;
  readonly state: PageState;
  /** The session is gone. */
  readonly done: () => void;
}

/** Deletes a session, if the person may, after showing what is deleted and what stays. */
export function DeleteSession({ sessionId, mark, state, done }: DeleteSessionProps): JSX.Element | null {
  const [isOpen, setIsOpen] = useState(false);
  const { value: found } = useLoaded(`${sessionId} ${mark} ${isOpen}`, (signal) =>
    get<SessionToDelete>("/features/retention/session", { id: sessionId }, signal),
  );
  if (found?.mayDelete !== true) return null;
  return (
    <>
      <button type="button" class="danger" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        Delete
      </button>
      {isOpen && (
        <DeleteDialog found={found} sessionId={sessionId} state={state} done={done} close={() => setIsOpen(false)} />
      )}
    </>
  );
}

interface DeleteDialogProps extends Omit<DeleteSessionProps, "mark"> {
  readonly found: SessionToDelete;
  readonly close: () => void;
}

function DeleteDialog({ found, sessionId, state, done, close }: DeleteDialogProps): JSX.Element {
  const { isLive } = found;
  const { isBusy, problem, begin } = useAction();
  const deleteNow = async (): Promise<void> => {
    await post("/features/retention/delete", { id: sessionId, stop: isLive }, state);
    done();
  };
  return (
    <Dialog
      title="Delete this session?"
      words={isLive ? "Stop and delete" : "Delete for good"}
      isDanger
      isSending={isBusy}
      problem={problem}
      goAhead={() => begin(deleteNow)}
      close={close}
    >
      <Consequences found={found} />
    </Dialog>
  );
}

/** Lists what is deleted with a session, and what stays. */
function Consequences({ found }: Pick<DeleteDialogProps, "found">): JSX.Element {
  const { isLive, messages, agents, memories } = found;
  return (
    <>
      {isLive && <p class="problem">It is still running, and is stopped first.</p>}
      <h3>Deleted for good</h3>
      <ul>
        <li>{counted(messages, "message")}, with tool calls and approvals</li>
        {agents > 0 && <li>{counted(agents, "sub-agent's session", "sub-agents' sessions")}</li>}
        {memories > 0 && <li>{counted(memories, "memory", "memories")} learned from it, including pinned ones</li>}
        <li>attachments and stored file contents that no other session has</li>
      </ul>
      <h3>Kept</h3>
      <ul>
        <li>costs and decisions, without their text</li>
        <li>files in the sandbox, sites and jobs, which belong to the channel</li>
        <li>messages on Slack and Discord; delete them there</li>
      </ul>
    </>
  );
}
