import { ProtocolError, SdkHttpError, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/client";
import { causeChain } from "../../../core/protocol/system-code.ts";
import { httpAnswer } from "./http-answer.ts";

/** Source: MCP specification, 2026-07-28, Versioning: no handshake from this version on. */
const FIRST_WITHOUT_HANDSHAKE = "2026-07-28";

/**
 * Protocol versions to try after a server has refused the default one: those that its refusal names, otherwise all
 * older ones. A server should offer a version of its own instead, but many refuse. Empty if the version was not the
 * reason.
 */
export function otherVersions(error: unknown): readonly string[] {
  const answered = answeredVersion(error);
  // Such versions are mostly made up; the server speaks what others do.
  if (answered !== null) return answered < FIRST_WITHOUT_HANDSHAKE ? [answered] : [];
  const words = refusal(error);
  if (!/protocol[ _-]?version/i.test(words)) return [];
  const older = SUPPORTED_PROTOCOL_VERSIONS.slice(1);
  const named = older.filter((version) => words.includes(version));
  return named.length > 0 ? named : older;
}

const NOT_SUPPORTED = "protocol version is not supported: ";

/** The version, unknown to the SDK, with which a server answered the handshake; null for any other error. */
export function answeredVersion(error: unknown): string | null {
  const message = error instanceof Error ? error.message : "";
  const at = message.indexOf(NOT_SUPPORTED);
  return at < 0 ? null : message.slice(at + NOT_SUPPORTED.length);
}

function refusal(error: unknown): string {
  const found = causeChain(error).map((cause) => {
    if (cause instanceof SdkHttpError) return httpAnswer(cause).said;
    return cause instanceof ProtocolError ? `${cause.message} ${JSON.stringify(cause.data ?? "")}` : "";
  });
  return found.join(" ");
}
