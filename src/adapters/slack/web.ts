import type { webApi } from "@slack/bolt";
import { PlatformError } from "../../core/protocol/errors.ts";
import type { Log } from "../../core/protocol/log.ts";
import { SLACK } from "./descriptor.ts";
import { asking } from "./errors.ts";
import { REQUEST_TIMEOUT_MS } from "./limits.ts";

/** What is used of Bolt, which is loaded only when Slack is configured. */
export type Bolt = Pick<
  typeof import("@slack/bolt"),
  "HTTPModuleFunctions" | "LogLevel" | "SocketModeReceiver" | "webApi"
>;
export type SlackWeb = webApi.WebClient;

/** Who the bot is, as its token says. */
export interface Identity {
  readonly teamId: string;
  readonly teamName: string;
  readonly userId: string;
  readonly enterpriseId: string | undefined;
  /** As the app-level token says; null without one. */
  readonly appId: string | null;
}

/** Without these nothing works; the other scopes cost one function each and are named when it is used. */
const NEEDED_SCOPES = ["chat:write", "users:read"];

/**
 * Each call is tried once: a post whose response is lost must be looked for before it is posted again,
 * and a 429 is the scheduler's to wait for. The SDK would hold back every other call meanwhile.
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

/** The SDK's lines at warning and above; below, they repeat each request's body. */
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

/** Asks Slack who the token belongs to. Rejects with `platform_auth`, `missing_scope` or a passing failure. */
export async function identify(web: SlackWeb, appToken: string | undefined): Promise<Identity> {
  const answer = await asking("sign in", () => web.auth.test());
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

/** What is ours, the bot's token above all, goes to Slack only, whatever address an event names. */
export function isSlackAddress(url: URL, apiUrl: string | undefined): boolean {
  if (apiUrl !== undefined && url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && /(?:^|\.)slack\.com$/u.test(url.hostname);
}

/** `xapp-1-A0123ABCD-…`: an app-level token names its app; null where it does not, or there is none. */
export function appOf(appToken: string | undefined): string | null {
  return /^xapp-\d+-(A[0-9A-Z]+)-/u.exec(appToken ?? "")?.[1] ?? null;
}
