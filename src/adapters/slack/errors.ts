import { z } from "zod";
import { AppError, type AppErrorOptions, type ErrorCode, PlatformError } from "../../core/protocol/errors.ts";
import { wasNeverSent } from "../../core/protocol/system-code.ts";
import { SLACK } from "./descriptor.ts";

/** Errors from channels in which only some people, and not the bot, may post. Source: Slack docs, chat.postMessage. */
export const POSTING_RESTRICTED = [
  "restricted_action",
  "restricted_action_non_threadable_channel",
  "restricted_action_read_only_channel",
  "restricted_action_thread_locked",
  "restricted_action_thread_only_channel",
];

/**
 * Errors caused by settings of the workspace, whatever scopes the app has. Source: Slack docs, chat.postMessage,
 * chat.update, files.getUploadURLExternal, files.completeUploadExternal.
 */
const FORBIDDEN: ReadonlySet<string> = new Set([
  ...POSTING_RESTRICTED,
  "ekm_access_denied",
  "access_denied",
  "accesslimited",
  "enterprise_is_restricted",
  "app_access_restricted",
  "posting_to_channel_denied",
  "file_uploads_disabled",
  "file_uploads_except_images_disabled",
  "file_upload_size_restricted",
  "file_type_not_allowed",
  "blocked_file_type",
  "slack_connect_blocked_file_type",
  "slack_connect_file_upload_sharing_blocked",
  "slack_connect_clip_sharing_blocked",
  "storage_limit_reached",
  "message_limit_exceeded",
  "two_factor_setup_required",
]);
const ASK_ADMIN = "A workspace or app setting blocks this; an admin can change it.";

/** Error codes for Slack's error strings; all others are `platform_failed`. Source: Slack docs, each method. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  invalid_auth: "platform_auth",
  not_authed: "platform_auth",
  account_inactive: "platform_auth",
  token_revoked: "platform_auth",
  token_expired: "platform_auth",
  not_allowed_token_type: "platform_auth",
  team_access_not_granted: "platform_auth",
  user_removed_from_team: "platform_auth",
  is_bot: "platform_auth",
  missing_scope: "missing_scope",
  channel_not_found: "thread_gone",
  channel_is_archived: "thread_gone",
  is_archived: "thread_gone",
  is_inactive: "thread_gone",
  not_in_channel: "thread_gone",
  no_permission: "thread_gone",
  channel_is_limited_access: "thread_gone",
  method_not_supported_for_channel_type: "thread_gone",
  ...Object.fromEntries([...FORBIDDEN].map((code) => [code, "missing_scope" as const])),
  thread_not_found: "thread_gone",
  invalid_thread_ts: "thread_gone",
  message_not_found: "thread_gone",
  cant_update_message: "thread_gone",
  cant_delete_message: "thread_gone",
  edit_window_closed: "thread_gone",
  cannot_reply_to_message: "thread_gone",
  invalid_channel: "thread_gone",
  // A person cannot be reached by direct message. Source: Slack docs, conversations.open.
  user_not_found: "thread_gone",
  user_disabled: "thread_gone",
  user_not_visible: "thread_gone",
  cannot_dm_bot: "thread_gone",
  messages_tab_disabled: "thread_gone",
  ratelimited: "platform_rate_limited",
  rate_limited: "platform_rate_limited",
  // Requests in a form that Slack rejects are a bug in the bot; sending them again does not help.
  invalid_blocks: "defect",
  invalid_blocks_format: "defect",
  block_mismatch: "defect",
  markdown_text_conflict: "defect",
  invalid_arguments: "defect",
  invalid_arg_name: "defect",
  invalid_array_arg: "defect",
  invalid_charset: "defect",
  invalid_post_type: "defect",
  missing_post_type: "defect",
  missing_argument: "defect",
  unknown_method: "defect",
  method_deprecated: "defect",
  deprecated_endpoint: "defect",
  metadata_must_be_sent_from_app: "defect",
  invalid_metadata_format: "defect",
  invalid_metadata_schema: "defect",
  metadata_too_large: "defect",
  invalid_attachments: "defect",
  too_many_attachments: "defect",
  attachment_payload_limit_exceeded: "defect",
  slack_connect_file_link_sharing_blocked: "defect",
  slack_connect_canvas_sharing_blocked: "defect",
  slack_connect_lists_sharing_blocked: "defect",
  msg_too_long: "defect",
  msg_blocks_too_long: "defect",
  no_text: "defect",
};

/** Transient errors within Slack. Source: Slack docs, chat.postMessage, chat.update, files.completeUploadExternal. */
const TROUBLES: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
  "org_login_required",
  "external_channel_migrating",
  "update_failed",
  "file_update_failed",
]);

/** A Slack error name. The SDK also reports other responses as names, such as error pages of proxies and outages. */
const NAME = /^[a-z0-9_]{1,100}$/u;

/** Errors thrown by the SDK, told apart by `code`, since the lazily loaded classes rule out `instanceof`. */
const sdkErrorSchema = z.discriminatedUnion("code", [
  z.object({
    code: z.literal("slack_webapi_platform_error"),
    data: z.object({ error: z.string(), needed: z.string().optional() }),
  }),
  z.object({ code: z.literal("slack_webapi_rate_limited_error"), retryAfter: z.number() }),
  z.object({ code: z.literal("slack_webapi_http_error"), statusCode: z.number() }),
  z.object({ code: z.literal("slack_webapi_request_error") }),
]);

/**
 * Converts any failure of a call to Slack to a PlatformError. `purpose` completes “Slack does not let me …”;
 * `keyVariable` holds the token used for the call.
 */
export function toPlatformError(error: unknown, purpose: string, keyVariable = "SLACK_BOT_TOKEN"): AppError {
  if (error instanceof AppError) return error;
  const sdk = sdkErrorSchema.safeParse(error).data;
  const detail = { platform: SLACK.title, purpose };
  const failure = (code: ErrorCode, message: string, more: Partial<AppErrorOptions> = {}) =>
    new PlatformError(code, message, { cause: error, detail, ...more });
  switch (sdk?.code) {
    case "slack_webapi_rate_limited_error":
      return failure("platform_rate_limited", "ratelimited", { retryAfterMs: sdk.retryAfter * 1_000 });
    case "slack_webapi_http_error":
      return failure("platform_failed", `HTTP ${sdk.statusCode}`);
    case "slack_webapi_request_error":
      return failure("network", "no response", wasNeverSent(error) ? { detail: { ...detail, sent: "no" } } : {});
    case "slack_webapi_platform_error": {
      const { error: name, needed } = sdk.data;
      if (!NAME.test(name)) return failure("platform_failed", "no answer of Slack's");
      const code = CODES[name] ?? "platform_failed";
      const isUnknown = code === "platform_failed" && !TROUBLES.has(name);
      return failure(code, name, {
        detail: {
          ...detail,
          error: name,
          ...(needed === undefined ? {} : { scope: needed }),
          ...(FORBIDDEN.has(name) ? { mend: ASK_ADMIN } : {}),
          ...(isUnknown ? { refused: "unknown" } : {}),
          ...(code === "platform_auth" ? { keyVariable } : {}),
        },
      });
    }
    default:
      return failure("platform_failed", error instanceof Error ? error.message : "unknown failure");
  }
}

/** Sends a request to Slack. Rejects with a PlatformError; `purpose` completes “Slack does not let me …”. */
export async function callSlack<T>(purpose: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw toPlatformError(error, purpose);
  }
}

/** Slack's name of the error; undefined for other failures. */
export function slackErrorName(error: unknown): string | undefined {
  const sdk = sdkErrorSchema.safeParse(error).data;
  return sdk?.code === "slack_webapi_platform_error" ? sdk.data.error : undefined;
}
