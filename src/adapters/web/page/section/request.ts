import { BODY_BYTES } from "../../limits.ts";
import { changeHeaders } from "../state/controller.ts";
import type { PageState } from "../state/state.ts";

/** A failed request, with a message for people, usually the server's own. */
class RequestError extends Error {
  /** The HTTP status; null if no response arrived. */
  readonly status: number | null;

  constructor(words: string, status: number | null) {
    super(words);
    this.status = status;
  }
}

/** Replaces a proxy's answer, which is not written for people. */
const TOO_LARGE = "It is larger than a proxy in front of Deckhand allows.";
const TOO_LONG = "It is longer than 1 MB in total. Shorten it.";
const FAILED = "That did not work. Try again in a moment.";

type Query = Readonly<Record<string, string | number | null>>;

/** Reads a path; empty query parameters are left out. The response is not validated: its server served this page. */
export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === "" ? [] : [[name, `${value}`]],
  );
  const text = new URLSearchParams(asked).toString();
  return answerOf(text === "" ? path : `${path}?${text}`, signal === undefined ? {} : { signal });
}

/** Resolves with the requested value, or null if the server says that there is none. */
export async function nullIfNotFound<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return null;
    throw error;
  }
}

export function post<T>(path: string, body: object, state: PageState): Promise<T> {
  const headers = { ...changeHeaders(state), "content-type": "application/json" };
  const text = JSON.stringify(body);
  // Checked here, because a request that the server cuts off loses the connection and gives no reason.
  if (new Blob([text]).size > BODY_BYTES) return Promise.reject(new RequestError(TOO_LONG, 413));
  return answerOf(path, { method: "POST", headers, body: text });
}

export async function answerOf<T>(path: string, options: RequestInit): Promise<T> {
  const response = await fetch(path, options).catch((error: unknown) => {
    if (options.signal?.aborted === true) throw error;
    throw new RequestError("No connection. Try again when it is back.", null);
  });
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  throw new RequestError(sentenceOf(answer) ?? (response.status === 413 ? TOO_LARGE : FAILED), response.status);
}

function sentenceOf(answer: unknown): string | null {
  const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : null;
  return typeof error === "string" ? error : null;
}

/** Returns the text that tells people why a request failed. */
export function problemOf(error: unknown): string {
  return error instanceof RequestError ? error.message : FAILED;
}
