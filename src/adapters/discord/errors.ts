import { GatewayCloseCodes, RESTJSONErrorCodes } from "discord.js";
import { z } from "zod";
import {
  AppError,
  type AppErrorOptions,
  DefectError,
  type ErrorCode,
  PlatformError,
} from "../../core/protocol/errors.ts";
import { DISCORD } from "./descriptor.ts";

/**
 * discord.js' error for an error response: `code` is Discord's, `status` is HTTP's. An intermediary such as a proxy
 * answers with a page that has no code.
 */
const apiErrorSchema = z.object({ code: z.union([z.number(), z.string()]).nullish(), status: z.number() });
/** discord.js' error for a response that is not JSON, that is, a 5xx. */
const httpErrorSchema = z.object({ name: z.literal("HTTPError"), status: z.number() });
/** discord.js' error for a rate limit longer than the configured maximum. `retryAfter` is in milliseconds. */
const rateLimitErrorSchema = z.object({ name: z.string().startsWith("RateLimitError"), retryAfter: z.number() });
const codedErrorSchema = z.object({ code: z.string() });

/** Whether the error has one of the named codes, which callers handle themselves. */
export function isDiscordError(error: unknown, ...names: (keyof typeof RESTJSONErrorCodes)[]): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  const answered = apiErrorSchema.safeParse(cause).data;
  return answered !== undefined && names.some((name) => RESTJSONErrorCodes[name] === answered.code);
}

/** Null if Discord refuses with one of the named codes. */
export async function nullOnDiscordError<T>(
  names: readonly (keyof typeof RESTJSONErrorCodes)[],
  request: Promise<T>,
): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (isDiscordError(error, ...names)) return null;
    throw error;
  }
}

/**
 * Converts any failure of a request to Discord to an AppError. `permission` is the permission that the request needs,
 * as named in Discord's settings, because Discord does not say which one is missing.
 */
export function toPlatformError(error: unknown, permission: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return failed("Discord answered something unexpected", error);
  const rateLimited = rateLimitErrorSchema.safeParse(error);
  if (rateLimited.success) return tooManyRequests(error, rateLimited.data.retryAfter);
  const http = httpErrorSchema.safeParse(error);
  if (http.success) return failed(`Discord answered ${http.data.status}`, error);
  const api = apiErrorSchema.safeParse(error);
  if (api.success) return apiError(error, api.data, permission);
  if (error instanceof Error && isNetworkError(error)) {
    return new PlatformError("network", "could not reach Discord", { cause: error });
  }
  // After a 401, discord.js discards the token and throws this error from then on.
  if (error instanceof Error && error.message.startsWith("Expected token to be set")) return wrongToken(error);
  return new DefectError(error instanceof Error ? error.message : String(error), error);
}

/** Sends a request to Discord. `permission`: the one it needs, as named in Discord's settings; empty if none. */
export async function callDiscord<T>(permission: string, request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await request();
  } catch (error) {
    signal?.throwIfAborted();
    throw toPlatformError(error, permission);
  }
}

function apiError(error: unknown, { code, status }: z.infer<typeof apiErrorSchema>, permission: string): AppError {
  if (status === 401) return wrongToken(error);
  if (status === 429) return tooManyRequests(error, 1_000);
  switch (code) {
    case RESTJSONErrorCodes.MissingAccess:
      return missingScope("View Channel", error, LET_IN);
    case RESTJSONErrorCodes.MissingPermissions:
      return missingScope(permission, error);
    case RESTJSONErrorCodes.ThreadLocked:
      return missingScope("Manage Threads", error);
    case RESTJSONErrorCodes.AccessToFileUploadsHasBeenLimitedForThisGuild:
      return missingScope("Attach Files", error, UPLOADS_LIMITED);
    case RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel:
    case RESTJSONErrorCodes.CannotSendAMessageInAForumChannel:
      return missingScope(permission, error, NOT_FOR_MESSAGES);
    case RESTJSONErrorCodes.TwoFactorAuthenticationIsRequired:
      return missingScope(permission, error, TWO_FACTOR);
    case RESTJSONErrorCodes.MaximumActiveThreads:
    case RESTJSONErrorCodes.MaximumActiveAnnouncementThreads:
      return missingScope("Create Public Threads", error, TOO_MANY_THREADS);
    case RESTJSONErrorCodes.UnknownChannel:
    case RESTJSONErrorCodes.UnknownGuild:
    case RESTJSONErrorCodes.UnknownMessage:
    case RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser:
    case RESTJSONErrorCodes.InvalidActionOnArchivedThread:
    case RESTJSONErrorCodes.CannotSendMessagesToThisUser:
    case RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds:
    case RESTJSONErrorCodes.UnknownUser:
    case RESTJSONErrorCodes.InvalidRecipients:
      return failure("thread_gone", `Discord no longer has it (${code})`, { cause: error });
    case RESTJSONErrorCodes.CannotSendAnEmptyMessage:
    case RESTJSONErrorCodes.InvalidFormBodyOrContentType:
    case RESTJSONErrorCodes.RequestEntityTooLarge:
    case RESTJSONErrorCodes.FileUploadedExceedsMaximumSize:
    case RESTJSONErrorCodes.ExplicitContentCannotBeSentToTheDesiredRecipient:
    case RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration:
    case RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration:
    case RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter:
      // Content that Discord rejects will be rejected again.
      return failure("defect", `Discord answered ${status}, code ${code}`, { cause: error });
    default: {
      const named = code === undefined || code === null ? "" : `, code ${code}`;
      return failed(`Discord answered ${status}${named}`, error, status < 500 ? { refused: "unknown" } : {});
    }
  }
}

function failure(code: ErrorCode, message: string, { detail, ...more }: Partial<AppErrorOptions>): PlatformError {
  return new PlatformError(code, message, { ...more, detail: { platform: DISCORD.title, ...detail } });
}

function wrongToken(cause: unknown): PlatformError {
  const detail = { keyVariable: "DISCORD_TOKEN" };
  return failure("platform_auth", "Discord does not accept the token; check DISCORD_TOKEN", { cause, detail });
}

const GIVE_PERMISSION = { mend: "Give my role this permission, in the channel or the whole server." };
/** Commands are offered even where the bot sees nothing, such as in private threads without it. */
const LET_IN = { mend: `${GIVE_PERMISSION.mend} In a private thread, mention me once: that adds me to it.` };
/** In such a server, Discord requires two-factor authentication of the bot's owner, as of moderators. */
const TWO_FACTOR = {
  mend: "This server requires two-factor authentication for this: the owner of my application must turn it on in their Discord account.",
};
const NOT_FOR_MESSAGES = {
  purpose: "write outside of posts in a forum",
  mend: "Choose a text channel instead, with `--channel #…`.",
};
const UPLOADS_LIMITED = { purpose: "send files", mend: "Discord has limited uploads in this server for now." };
const TOO_MANY_THREADS = {
  purpose: "open a thread: the server has reached its limit of active ones",
  mend: "Archive some, then ask again.",
};

function missingScope(scope: string, cause: unknown, words: Readonly<Record<string, string>> = GIVE_PERMISSION) {
  const detail = { scope, ...words };
  return failure("missing_scope", `Discord wants the permission “${scope}” for this`, { cause, detail });
}

function tooManyRequests(cause: unknown, retryAfterMs: number): PlatformError {
  return failure("platform_rate_limited", "Discord asks to wait", { cause, retryAfterMs });
}

function failed(message: string, cause: unknown, detail: Readonly<Record<string, string>> = {}): PlatformError {
  return failure("platform_failed", message, { cause, detail });
}

function isNetworkError(error: Error): boolean {
  // A request that discord.js gave up after its own timeout is an AbortError, too.
  if (error.name === "AbortError" || error.name === "TimeoutError") return true;
  if (/^(?:fetch failed|terminated|other side closed)$/u.test(error.message)) return true;
  const coded = codedErrorSchema.safeParse(error);
  return coded.success && /^(?:E[A-Z]+|UND_ERR_\w+|ERR_PROXY_TUNNEL)$/u.test(coded.data.code);
}

const MESSAGE_CONTENT = {
  scope: "MESSAGE CONTENT intent",
  purpose: "read what people write",
  mend:
    "In the Discord Developer Portal open the application, go to Bot, switch on “Message Content Intent” " +
    "under Privileged Gateway Intents, save, and start Deckhand again.",
};

/**
 * Why the gateway will never accept the client, by its close code; null for codes after which reconnecting helps.
 * Source: Discord docs, Gateway Close Event Codes.
 */
export function gatewayRefusal(code: GatewayCloseCodes): AppError | null {
  switch (code) {
    case GatewayCloseCodes.AuthenticationFailed:
      return wrongToken(undefined);
    case GatewayCloseCodes.DisallowedIntents:
      return failure(
        "missing_scope",
        `Discord refuses the connection: the ${MESSAGE_CONTENT.scope} is off. ${MESSAGE_CONTENT.mend}`,
        { detail: MESSAGE_CONTENT },
      );
    case GatewayCloseCodes.InvalidShard:
    case GatewayCloseCodes.ShardingRequired:
    case GatewayCloseCodes.InvalidAPIVersion:
    case GatewayCloseCodes.InvalidIntents:
      return new DefectError(`Discord's gateway closed with ${code}, which reconnecting can't fix`);
    default:
      return null;
  }
}

/** discord.js' message once the daily limit of new sessions is reached. */
const NO_SESSIONS = /^Not enough sessions remaining .* resets at (\S+)$/u;

/** Converts an error thrown by login before the gateway is reached. `now`: milliseconds since the epoch. */
export function loginError(error: unknown, now: number): AppError {
  const [, at] = error instanceof Error ? (NO_SESSIONS.exec(error.message) ?? []) : [];
  if (at !== undefined) {
    const retryAfterMs = Math.max(1_000, Date.parse(at) - now);
    return failure("platform_rate_limited", `Discord allows no new sessions before ${at}`, {
      cause: error,
      retryAfterMs,
    });
  }
  const coded = codedErrorSchema.safeParse(error);
  return coded.success && coded.data.code === "TokenInvalid" ? wrongToken(error) : toPlatformError(error, "");
}
