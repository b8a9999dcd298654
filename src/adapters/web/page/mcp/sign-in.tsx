import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { BegunSignIn, ChangedSignIn, TeamServerSignIn } from "../../sessions/team-tools.ts";
import { Dialog } from "../dialog.tsx";
import { Moment } from "../section/moment.tsx";
import { post } from "../section/request.ts";
import { type Action, useAction } from "../section/use-action.ts";
import { keepBegunSignIn, type SignInAnswer } from "../state/sign-in-answer.ts";
import type { PageState } from "../state/state.ts";

interface SignInProps {
  readonly name: string;
  readonly signIn: TeamServerSignIn;
  readonly mayChange: boolean;
  /** The answer with which the service has sent the browser back; null if there is none. */
  readonly answer: SignInAnswer | null;
  readonly state: PageState;
  readonly done: () => void;
}

/** Who has signed in to a server; admins sign in and out here. */
export function SignIn({ name, signIn, mayChange, answer, state, done }: SignInProps): JSX.Element {
  const { account, isWanted } = signIn;
  return (
    <>
      {account !== null && (
        <p>
          Signed in by {account.by}, <Moment at={account.at} />.
        </p>
      )}
      {mayChange ? (
        <Changes {...{ name, signIn, answer, state, done }} />
      ) : (
        isWanted && <p class="hint">An admin signs in here.</p>
      )}
    </>
  );
}

function Changes({ name, signIn, answer, state, done }: Omit<SignInProps, "mayChange">): JSX.Element {
  const [outcome, setOutcome] = useState("");
  const [isLeaving, setLeaving] = useState(false);
  const action = useAction();
  const change = async (path: string, body: object, words: string): Promise<void> => {
    const { server, notes } = await post<ChangedSignIn>(`/features/mcp/${path}`, body, state);
    setOutcome([server?.problem ?? words, ...notes].join(" "));
    done();
  };
  const leave = async (): Promise<void> => {
    const { address, begun } = await post<BegunSignIn>("/features/mcp/sign-in", { name }, state);
    keepBegunSignIn({ name, begun });
    location.assign(address);
  };
  useEffect(() => {
    if (answer !== null) action.begin(async () => change("signed-in", answer, "✓ Signed in, and connected."));
  }, []);
  const hint = `sign-in-${name}`;
  return (
    <>
      <p>
        <SignInButton
          {...{ name, signIn, action, hint }}
          isEnding={answer !== null}
          begin={() => action.begin(leave)}
        />{" "}
        {signIn.account !== null && (
          <button type="button" aria-label={`Sign out of ${name}`} onClick={() => setLeaving(true)}>
            Sign out
          </button>
        )}{" "}
        <span role="status">{action.isBusy ? "" : (action.problem ?? outcome)}</span>
      </p>
      <p class="hint" id={hint}>
        Deckhand has one account here: everyone who may use these tools acts with the one that signs in.
      </p>
      {isLeaving && (
        <SignOut
          name={name}
          signOut={async () => change("sign-out", { name }, "✓ Signed out.")}
          close={() => setLeaving(false)}
        />
      )}
    </>
  );
}

interface ButtonProps extends Pick<SignInProps, "name" | "signIn"> {
  readonly action: Action;
  /** Id of the element that describes it. */
  readonly hint: string;
  /** Whether the browser has come back from the service. */
  readonly isEnding: boolean;
  readonly begin: () => void;
}

function SignInButton({ name, signIn: { account }, action, hint, isEnding, begin }: ButtonProps): JSX.Element {
  const words = account === null ? "Sign in" : "Sign in again";
  return (
    <button
      type="button"
      aria-label={`${words} to ${name}`}
      aria-describedby={hint}
      aria-disabled={action.isBusy}
      onClick={begin}
    >
      {action.isBusy ? (isEnding ? "Signing in…" : "Asking the service…") : words}
    </button>
  );
}

interface SignOutProps {
  readonly name: string;
  readonly signOut: () => Promise<void>;
  readonly close: () => void;
}

function SignOut({ name, signOut, close }: SignOutProps): JSX.Element {
  const { isBusy, problem, begin } = useAction();
  const end = async (): Promise<void> => {
    await signOut();
    close();
  };
  return (
    <Dialog
      title={`Sign out of ${name}?`}
      words="Sign out"
      isDanger
      isSending={isBusy}
      problem={problem}
      goAhead={() => begin(end)}
      close={close}
    >
      <p>Its tools work for nobody until somebody signs in again.</p>
    </Dialog>
  );
}
