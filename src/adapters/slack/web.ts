import type { webApi } from "@slack/bolt";
import { PlatformError } from "../../core/protocol/errors.ts";
import type { Log } from "../../core/protocol/log.ts";
import { SLACK } from "./descriptor.ts";
import { callSlack } from "./errors.ts";
import { REQUEST_TIMEOUT_MS } from "./limits.ts";

/** The parts of Bolt that are used. Bolt is loaded only if Slack is configured. */
export type Bolt = Pick<
  typeof import("@slack/bolt"),
  "HTTPModuleFunctions" | "LogLevel" | "SocketModeReceiver" | "webApi"
>;
export type SlackWeb = webApi.WebClient;

/** The bot's identity, as reported for its token. */
export interface Identity {
  readonly teamId: string;
  readonly teamName: string;
  readonly userId: string;
  readonly enterpriseId: string | undefined;
  /** The app's id from the app-level token; null without one. */
  readonly appId: string | null;
}

/** The scopes without which nothing works. Each other scope enables one function, and is named when that is used. */
const NEEDED_SCOPES = ["chat:write", "users:read"];

/**
 * Disables the SDK's retries: a post whose response is lost must be searched for before it is sent again, and a 429 is
 * left to the scheduler, since the SDK would hold back all other calls meanwhile.
 */
export function clientOptions(bolt: Bolt, { apiUrl, log }: { readonly apiUrl: string | undefined; readonly log: Log }) {
  return {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: REQUEST_TIMEOUT_MS,
    logger: sdkLogger(bolt, log),
  };
}

/** Logs only the SDK's warnings and errors; its lower levels repeat each request's body. */
export function sdkLogger(bolt: Bolt, log: Log) {
  const warn = (...lines: unknown[]) => log.warn({ lines: lines.map(String) }, "slack_sdk");
  return {
    debug() {},
    info() {},
    warn,
    error: warn,
    setLevel() {},
    setName() {},
    getLevel: () => bolt.LogLevel.WARN,
  };
}

/** Asks Slack who the token belongs to. Rejects with `platform_auth`, `missing_scope` or a transient failure. */
export async function identify(web: SlackWeb, appToken: string | undefined): Promise<Identity> {
  const answer = await callSlack("sign in", () => web.auth.test());
  const scopes = answer.response_metadata?.scopes;
  const missing = scopes === undefined ? undefined : NEEDED_SCOPES.find((scope) => !scopes.includes(scope));
  if (missing !== undefined) {
    const detail = { platform: SLACK.title, scope: missing, purpose: "work here" };
    throw new PlatformError("missing_scope", `the bot token lacks ${missing}`, { detail });
  }
  const { team_id, team, user_id, enterprise_id } = answer;
  if (team_id === undefined || user_id === undefined) {
    throw new PlatformError("platform_failed", "auth.test names no team or user", {
      detail: { platform: SLACK.title },
    });
  }
  return {
    teamId: team_id,
    teamName: team ?? team_id,
    userId: user_id,
    enterpriseId: enterprise_id,
    appId: appOf(appToken),
  };
}

/** Whether an address belongs to Slack. The bot's token and data are sent nowhere else, whatever an event names. */
export function isSlackAddress(url: URL, apiUrl: string | undefined): boolean {
  if (apiUrl !== undefined && url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && /(?:^|\.)slack\.com$/u.test(url.hostname);
}

/** The app's id within an app-level token (`xapp-1-A0123ABCD-…`); null if there is none. */
export function appOf(appToken: string | undefined): string | null {
  return /^xapp-\d+-(A[0-9A-Z]+)-/u.exec(appToken ?? "")?.[1] ?? null;
}
