import { type DestinationStream, pino } from "pino";
import type { Config } from "../config/resolve.ts";
import type { Log } from "../core/protocol/log.ts";
import { HIDDEN, withoutCredentials } from "../core/text/log-redaction.ts";

/** Fields that are credentials by name, anywhere in an SDK's error or request. */
export const REDACT_PATHS: readonly string[] = [
  "apiKey",
  "token",
  "password",
  "authorization",
  "cookie",
  "headers",
  "signingSecret",
].flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

/** Minimum length of a masked value; masking shorter ones would mangle ordinary words. In characters. */
const MIN_SECRET_LENGTH = 6;

/**
 * Writes JSON lines with the event's name as `event` and times as ISO 8601 in UTC. `secrets`: values masked in every
 * line, whatever field they are in; the list may change later, if its last value or its length does.
 */
export function createLogger(
  level: Config["logLevel"],
  secrets: readonly string[],
  destination: DestinationStream = process.stdout,
): Log {
  let known = "";
  let hidden: readonly string[] = [];
  const hiddenNow = () => {
    const version = `${secrets.length} ${secrets.at(-1) ?? ""}`;
    if (known === version) return hidden;
    known = version;
    hidden = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(spellings);
    return hidden;
  };
  const redacting = {
    write(line: string) {
      destination.write(
        withoutCredentials(hiddenNow().reduce((text, secret) => text.replaceAll(secret, HIDDEN), line)),
      );
    },
  };
  return pino(
    {
      level,
      base: null,
      messageKey: "event",
      errorKey: "error",
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: pino.stdSerializers.err, cause: pino.stdSerializers.err },
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...REDACT_PATHS], censor: HIDDEN },
    },
    redacting,
  );
}

/** The forms in which a secret may appear in a JSON line or a URL. */
function spellings(secret: string): string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
}
