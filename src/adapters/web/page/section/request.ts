import { changeHeaders } from "../state/controller.ts";
import type { PageState } from "../state/state.ts";

/** What the server says in its own words about a request that came to nothing. */
class RequestError extends Error {
  /** The status of the answer; null: none came. */
  readonly status: number | null;

  constructor(words: string, status: number | null) {
    super(words);
    this.status = status;
  }
}

/** What something on the way says in words that are not for people. */
const TOO_LARGE = "It is larger than a proxy on the way to Deckhand lets through.";
const FAILED = "This could not be done. Try again in a moment.";

type Query = Readonly<Record<string, string | number | null>>;

/** What is read; empty parts of a query are left out. The server is the one that served this page: it is taken at its word. */
export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === "" ? [] : [[name, `${value}`]],
  );
  const text = new URLSearchParams(asked).toString();
  return answerOf(text === "" ? path : `${path}?${text}`, signal === undefined ? {} : { signal });
}

/** What is asked for, or null where the server says that there is none. */
export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return null;
    throw error;
  }
}

/** Changes something, as whoever is signed in. */
export function post<T>(path: string, body: object, state: PageState): Promise<T> {
  const headers = { ...changeHeaders(state), "content-type": "application/json" };
  return answerOf(path, { method: "POST", headers, body: JSON.stringify(body) });
}

export async function answerOf<T>(path: string, options: RequestInit): Promise<T> {
  const response = await fetch(path, options).catch((error: unknown) => {
    if (options.signal?.aborted === true) throw error;
    throw new RequestError("There is no connection. Try again when it is back.", null);
  });
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  throw new RequestError(sentenceOf(answer) ?? (response.status === 413 ? TOO_LARGE : FAILED), response.status);
}

function sentenceOf(answer: unknown): string | null {
  const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : null;
  return typeof error === "string" ? error : null;
}

/** What to tell people of a request that came to nothing. */
export function problemOf(error: unknown): string {
  return error instanceof RequestError ? error.message : FAILED;
}
