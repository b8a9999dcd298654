import type { FetchLike } from "@modelcontextprotocol/client";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { McpUrlServer } from "../server-settings.ts";
import { type Begun, beginSignIn, finishSignIn, isAnswerTo, SIGN_IN_MS } from "./authorize.ts";
import type { Discovered } from "./discovery.ts";
import { SignInProblem } from "./problems.ts";
import { openRedirect, pastedAnswer, type Redirect, USUAL_REDIRECT } from "./redirect.ts";
import type { SignIn } from "./signed-in.ts";

/** Maximum number of answers to other sign-ins that are said: any page in the browser may send them. */
const MAX_OTHERS = 5;

export interface TerminalScope {
  /** The server's name as people write it. */
  readonly title: string;
  readonly settings: McpUrlServer;
  readonly guarded: FetchLike;
  readonly clock: Clock;
  readonly say: (line: string) => void;
  /** What people paste. */
  readonly lines: (signal: AbortSignal) => AsyncIterable<string>;
}

/** Has a person sign in with a browser, at the address that the terminal shows. Throws SignInProblem. */
export async function signInFromTerminal(found: Discovered, scope: TerminalScope): Promise<SignIn> {
  const answers = collectAnswers(scope.say);
  await using redirect = await openRedirect(scope.settings, answers.take);
  const beginning = { ...scope, redirectUri: redirect.uri, redirectToRegister: USUAL_REDIRECT };
  const { address, begun } = await beginSignIn(found, beginning);
  answers.expect(begun);
  for (const line of instructions(address, redirect, scope.title)) scope.say(line);
  return finishSignIn(begun, await firstAnswer(answers, redirect, scope), scope);
}

interface Answers {
  readonly first: Promise<URLSearchParams>;
  readonly expect: (begun: Begun) => void;
  /** Takes an answer; returns what its browser shows. */
  readonly take: (answer: URLSearchParams) => string;
}

/** Takes the first answer that belongs to the expected sign-in. */
function collectAnswers(say: TerminalScope["say"]): Answers {
  const { promise: first, resolve } = Promise.withResolvers<URLSearchParams>();
  let expected: Begun | null = null;
  let others = 0;
  return {
    first,
    expect: (begun) => {
      expected = begun;
    },
    take(answer) {
      if (expected === null || !isAnswerTo(expected, answer)) {
        others += 1;
        if (others <= MAX_OTHERS) say("⚠ That is the answer to another sign-in. Open the address above.");
        return "This is the answer to another sign-in. Open the address that the terminal shows.";
      }
      resolve(answer);
      return "Deckhand has the answer. You can close this page; the terminal shows how it ends.";
    },
  };
}

function instructions(address: URL, { isListening, uri }: Redirect, title: string): string[] {
  const pasting = "copy the address of the browser's last page, and paste it here.";
  return [
    `Open this address in a browser, and sign in with the account that Deckhand should use for ${title}:`,
    "",
    address.href,
    "",
    isListening
      ? `If the browser runs on another machine, it cannot show its last page (${new URL(uri).host}): ${pasting}`
      : `At the end, ${pasting}`,
    "Everyone who may use the server's tools then acts with this account. Ctrl-C cancels.",
  ];
}

/** Waits for the browser or for a pasted address, whichever comes first. */
async function firstAnswer(
  { first, take }: Answers,
  { isListening }: Redirect,
  { clock, lines, say }: TerminalScope,
): Promise<URLSearchParams> {
  const ended = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(SIGN_IN_MS, () => {
    reject(new SignInProblem(`Nobody signed in within ${SIGN_IN_MS / 60_000} minutes. Nothing was changed.`));
  });
  const pasted = async (): Promise<URLSearchParams> => {
    for await (const line of lines(ended.signal)) {
      const answer = pastedAnswer(line);
      if (answer !== null) take(answer);
      else if (line.trim() !== "") say("⚠ That is not the address at the end of a sign-in: it has no code in it.");
    }
    if (!isListening && !ended.signal.aborted) throw new SignInProblem("No address was pasted. Nothing was changed.");
    return first;
  };
  try {
    return await Promise.race([first, pasted(), late]);
  } finally {
    cancel();
    ended.abort();
  }
}
