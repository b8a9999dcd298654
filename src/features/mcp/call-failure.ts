import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { AppError } from "../../core/protocol/errors.ts";
import { causeChain, proxyFailure, systemCode, wasNeverSent } from "../../core/protocol/system-code.ts";
import { foreignLine, foreignText } from "./foreign-text.ts";
import { SignInUnread } from "./sign-in/problems.ts";
import { type HttpAnswer, httpAnswer } from "./transport/http-answer.ts";
import { BROKEN_OFF } from "./transport/http-transport.ts";
import { answeredVersion } from "./transport/other-versions.ts";

/** Maximum length of a server's own error message, in characters. */
const MAX_WORDS = 2_000;

/** Maximum length of a server's protocol version in messages, in characters. */
const MAX_VERSION = 40;

/** Maximum length of the scopes in messages, in characters. */
const MAX_SCOPE = 200;

/** The server's program ended during a request; `ending` says how. */
export class ProgramEnded extends AppError {
  readonly ending: string;

  constructor(ending: string, cause: unknown) {
    super("network", "the server's program ended", { cause });
    this.ending = ending;
  }
}

/** The working directory of a server's program does not exist. The system would report this as a missing program. */
export class NoDirectory extends AppError {
  constructor() {
    super("network", "the working directory of the server's program does not exist");
  }
}

/** Whether the error means that the other end is gone. */
export function isBroken(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.ConnectionClosed;
  return causeChain(error).some((cause) => ["EPIPE", "ECONNRESET"].includes(systemCode(cause) ?? ""));
}

/** What is known about a failed request. */
export interface CallFailure {
  /** The end of a sentence for the model and for the server's state, which operators see. */
  readonly text: string;
  /** The request certainly had no effect, so repeating it over a new connection is safe. */
  readonly refused: boolean;
  /** The connection may be dead. Other calls may be using it, so this is checked before it is dropped. */
  readonly doubtful: boolean;
  /** The server wants other credentials, or any (HTTP 401). */
  readonly isUnauthorized?: boolean;
  /** The text instead, if the request was made by an account that signed in (HTTP 403). */
  readonly ofAccount?: string;
}

/** HTTP statuses of a restarted server that does not know the session. */
const SESSION_GONE = [400, 404];

export function callFailure(error: unknown, timeoutMs: number): CallFailure {
  if (error instanceof ProgramEnded) {
    return { text: `its program ended (${error.ending})`, refused: false, doubtful: true };
  }
  if (error instanceof NoDirectory) {
    return { text: "its working directory (`cwd`) does not exist", refused: true, doubtful: true };
  }
  if (error instanceof SignInUnread) {
    return { text: "its sign-in cannot be read from the database at the moment", refused: true, doubtful: false };
  }
  if (error instanceof SdkHttpError) return httpFailure(httpAnswer(error));
  if (error instanceof InsufficientScopeError) return scopeFailure(error);
  if (error instanceof SseError && error.code !== undefined) return httpFailure({ status: error.code });
  if (error instanceof SdkError) return sdkFailure(error, timeoutMs);
  if (error instanceof ProtocolError) {
    if (error.code === BROKEN_OFF) return { text: "its response was cut off", refused: false, doubtful: true };
    const words = foreignText(error.message, MAX_WORDS);
    return { text: `it answered with an error: ${words}`, refused: false, doubtful: false };
  }
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return { text: "its response does not follow the protocol", refused: false, doubtful: false };
  }
  const version = answeredVersion(error);
  if (version !== null) {
    const text = `it speaks version ${foreignLine(version, MAX_VERSION)} of the protocol, which Deckhand does not support`;
    return { text, refused: true, doubtful: true };
  }
  const code = causeChain(error)
    .map(systemCode)
    .find((each) => each !== undefined);
  if (code === "ENOENT") return { text: "its program was not found", refused: true, doubtful: true };
  if (code === "EACCES") return { text: "permission to start its program was denied", refused: true, doubtful: true };
  const why = proxyFailure(error) ?? code;
  const words = why === undefined ? "the connection to it failed" : `the connection to it failed (${why})`;
  return { text: words, refused: wasNeverSent(error), doubtful: true };
}

const NOT_ALLOWED = "the account that signed in may not do this";

function scopeFailure({ requiredScope = "" }: InsufficientScopeError): CallFailure {
  const scope = foreignLine(requiredScope, MAX_SCOPE);
  const remedy = "an operator must add it to `oauth.scope`, with the scopes that it already has, and sign in again";
  return {
    ...httpFailure({ status: 403 }),
    ofAccount: `${NOT_ALLOWED}${scope === "" ? " (HTTP 403)" : `: its sign-in lacks the scope ${scope}; ${remedy}`}`,
  };
}

function httpFailure({
  status,
  said = "",
  leadsTo = "",
}: Partial<HttpAnswer> & Pick<HttpAnswer, "status">): CallFailure {
  if (status === 401 || status === 403) {
    const why = `it refuses our credentials (HTTP ${status}${said === "" ? "" : `: ${said}`})`;
    const text = `${why}; an operator must give it a token in its \`headers\``;
    const failure = { text, refused: true, doubtful: true };
    if (status === 401) return { ...failure, isUnauthorized: true };
    return { ...failure, ofAccount: `${NOT_ALLOWED} (HTTP 403${said === "" ? "" : `: ${said}`})` };
  }
  if (status >= 300 && status < 400) {
    const way = `it answers with a redirect (HTTP ${status}); an operator must set the address that it redirects to`;
    return { text: leadsTo === "" ? way : `${way}, ${leadsTo}`, refused: true, doubtful: true };
  }
  const gone = SESSION_GONE.includes(status);
  const text = `it answered with HTTP ${status}${said === "" ? "" : `: ${said}`}`;
  return { text, refused: gone, doubtful: gone };
}

function sdkFailure(error: SdkError, timeoutMs: number): CallFailure {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return { text: `it did not respond within ${timeoutMs / 1_000} s`, refused: false, doubtful: false };
    case SdkErrorCode.ConnectionClosed:
      return { text: "it ended before it responded", refused: false, doubtful: true };
    case SdkErrorCode.NotConnected:
      return { text: "it is not connected", refused: true, doubtful: true };
    case SdkErrorCode.EraNegotiationFailed:
      return callFailure(error.cause, timeoutMs);
    case SdkErrorCode.ClientHttpUnexpectedContent: {
      const text = "its response is not an MCP message; an operator must check its address";
      return { text, refused: false, doubtful: true };
    }
    case SdkErrorCode.InvalidResult:
      return { text: "its response does not follow the protocol", refused: false, doubtful: false };
    default:
      return { text: `the request failed (${error.code})`, refused: false, doubtful: true };
  }
}
