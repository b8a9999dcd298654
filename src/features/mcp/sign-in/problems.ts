import { InsecureTokenEndpointError, OAuthError, RegistrationRejectedError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { AppError } from "../../../core/protocol/errors.ts";
import { causeChain, proxyFailure, systemCode } from "../../../core/protocol/system-code.ts";
import { fromJson } from "../../../core/text/from-json.ts";
import { NetworkDenial, NetworkRefusal } from "../../../tools/network/refusal.ts";
import { foreignLine } from "../foreign-text.ts";

/** Maximum length of an authorization server's own words, in characters. */
const MAX_WORDS = 200;

/** Why a sign-in is not possible; `text` is a sentence for the operator. */
export class SignInProblem extends AppError {
  readonly text: string;

  constructor(text: string) {
    super("auth", "the sign-in to an MCP server is not possible");
    this.text = text;
  }
}

/** The database fails, so that it is not known whether anybody has signed in. */
export class SignInUnread extends AppError {
  constructor(cause: unknown) {
    super("network", "the sign-in to an MCP server cannot be read", { cause });
  }
}

/**
 * Errors with which an authorization server refuses tokens for good. Source: RFC 6749, 5.2; the last two: GitHub docs,
 * “Refreshing user access tokens”, and Slack docs, `oauth.v2.access`.
 */
const FINAL = ["invalid_grant", "invalid_client", "unauthorized_client", "bad_refresh_token", "invalid_refresh_token"];

export function isFinalRefusal(error: unknown): boolean {
  return error instanceof OAuthError && FINAL.includes(error.code);
}

/** A sentence about a failed request to the authorization server `host`. It never holds a response as a whole. */
export function problemText(error: unknown, host: string): string {
  if (error instanceof SignInProblem) return error.text;
  if (error instanceof NetworkDenial) {
    return `${error.message} If it is yours, put \`oauth: { "issuer": "https://…" }\` into the server's block.`;
  }
  if (error instanceof NetworkRefusal) return error.message;
  if (error instanceof RegistrationRejectedError) {
    const { error: code, error_description: said = "" } = refusalSchema.parse(fromJson(error.body) ?? {});
    const words = code === undefined ? "" : `: ${foreignWords(new OAuthError(code, said))}`;
    return `${host} refuses to register Deckhand (HTTP ${error.status}${words}).`;
  }
  if (error instanceof OAuthError) return `${host} answers: ${foreignWords(error)}.`;
  if (error instanceof InsecureTokenEndpointError) return `The token endpoint of ${host} is not encrypted.`;
  const status = error instanceof Error ? HTTP_STATUS.exec(error.message)?.[1] : undefined;
  if (status !== undefined) return `${host} answers with HTTP ${status}.`;
  const code = causeChain(error)
    .map(systemCode)
    .find((each) => each !== undefined);
  if (error instanceof Error && error.name === "TimeoutError") return `${host} did not answer in time.`;
  const why = proxyFailure(error) ?? code;
  return why === undefined ? `The response from ${host} does not follow OAuth.` : `${host} cannot be reached (${why}).`;
}

/** The status in the SDK's own messages. */
const HTTP_STATUS = /^HTTP (\d{3})\b/u;

const text = z.string().optional().catch(undefined);
const refusalSchema = z.object({ error: text, error_description: text }).catch({});

/** The server's code for a refusal and its words for it. The SDK puts whole responses into other messages. */
function foreignWords({ code, message }: OAuthError): string {
  const said = code === "server_error" ? "" : foreignLine(message, MAX_WORDS).replace(/\.$/u, "");
  const named = foreignLine(code, MAX_WORDS);
  return said === "" || said === named ? named : `${named} (${said})`;
}
