import { ProtocolError, SdkHttpError, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/client";
import { causes } from "../../../core/protocol/system-code.ts";
import { httpAnswer } from "./http-answer.ts";

/** Source: MCP specification, 2026-07-28, Versioning: from here on there is no handshake. */
const FIRST_WITHOUT_HANDSHAKE = "2026-07-28";

/**
 * Versions of the protocol in which a server may take the handshake that it has refused for ours: those that it names,
 * or else all that are older. Servers should answer with one of their own instead; many refuse. Empty where the version is
 * not the reason.
 */
export function otherVersions(error: unknown): readonly string[] {
  const answered = answeredVersion(error);
  // Made up, mostly: such a server speaks what others do.
  if (answered !== null) return answered < FIRST_WITHOUT_HANDSHAKE ? [answered] : [];
  const words = refusal(error);
  if (!/protocol[ _-]?version/i.test(words)) return [];
  const older = SUPPORTED_PROTOCOL_VERSIONS.slice(1);
  const named = older.filter((version) => words.includes(version));
  return named.length > 0 ? named : older;
}

const NOT_SUPPORTED = "protocol version is not supported: ";

/** The version that a server answered the handshake with, which the SDK does not know; null when it is not that. */
export function answeredVersion(error: unknown): string | null {
  const message = error instanceof Error ? error.message : "";
  const at = message.indexOf(NOT_SUPPORTED);
  return at < 0 ? null : message.slice(at + NOT_SUPPORTED.length);
}

function refusal(error: unknown): string {
  const found = causes(error).map((cause) => {
    if (cause instanceof SdkHttpError) return httpAnswer(cause).said;
    return cause instanceof ProtocolError ? `${cause.message} ${JSON.stringify(cause.data ?? "")}` : "";
  });
  return found.join(" ");
}
