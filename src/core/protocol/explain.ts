import { AppError, ConfigError, type ErrorCode } from "./errors.ts";
import type { Random } from "./runtime.ts";
import { connectionRemedy } from "./system-code.ts";

/**
 * What a person reads when something goes wrong: what happened and what to do next. Sentences are made from
 * `error.detail` (provider, providerName, keyVariable, reason, model, platform, scope, purpose, mend, name, limit,
 * lost, bothForS, times, ref) and stay whole if a detail is missing. `error.message` is for the log and never shown.
 */
export function explain(error: AppError): string {
  return `✗ ${reasonOf(error)}`;
}

/** As `explain`, without the sign, for use within other words. */
export function reasonOf(error: AppError, where: Where = { isDirect: false }): string {
  return SENTENCES[error.code](error, where.isDirect ? WRITE : MENTION);
}

/** As `reasonOf`, for a list that knows only the code; null if the code is unknown. */
export function reasonOfCode(code: string): string | null {
  return isCode(code) ? reasonOf(new AppError(code, ""), { isDirect: true }) : null;
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(SENTENCES, code);
}

interface Where {
  /** Whether this is a direct message or the page, where nobody mentions the agent. */
  readonly isDirect: boolean;
}

/** How people ask once more, at the beginning of a sentence and within one. */
interface RetryWording {
  readonly begin: string;
  readonly within: string;
}

/** Why a process ends that must do nothing more, by what it has lost of the database. */
const ENDS: Readonly<Record<string, string>> = {
  lease:
    "The database has stopped responding, and another process may be running its threads. I'm shutting down; restart me once it responds.",
  place:
    "The database has stopped responding, or this process stalled for too long, and the others are taking over its threads. I'm shutting down; restart me.",
};

const MENTION: RetryWording = { begin: "Mention me again", within: "mention me again" };
const WRITE: RetryWording = { begin: "Write again", within: "write again" };

/** Without `0 1 I L O U`, because people read the code aloud and type it. */
const REF_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const REF_LENGTH = 5;

/** Code of a defect, such as `7F3K2`, shown to people and logged for operators to search for. */
export function defectRef(random: Random): string {
  return Array.from({ length: REF_LENGTH }, () =>
    REF_LETTERS.charAt(Math.floor(random.next() * REF_LETTERS.length)),
  ).join("");
}

/** Returns the error with a fresh code in `detail.ref`. The code that logs the error logs that too. */
export function withRef(error: AppError, random: Random): AppError {
  const { code, message, retryAfterMs } = error;
  const detail = { ...error.detail, ref: defectRef(random) };
  return new AppError(code, message, { cause: error, detail, retryAfterMs });
}

const SENTENCES: Readonly<Record<ErrorCode, (error: AppError, again: RetryWording) => string>> = {
  auth: (e, { within }) =>
    e.detail.reason === "no key"
      ? `There is no key for ${e.detail.providerName ?? "the model provider"}. An operator must set ${named(e.detail.keyVariable, "one")}; then ${within}.`
      : `${provider(e)} does not accept the key. An operator must check ${keyVariable(e)}; then ${within}.`,
  quota: (e) =>
    `The ${e.detail.providerName ?? "model provider's"} account has reached its spending or usage limit. Raise it, or set a fallback model.`,
  rate_limited: (e, { begin }) => `${provider(e)} is limiting my requests right now. ${begin} ${later(e)}.`,
  overloaded: (e, { begin }) =>
    e.detail.bothForS === undefined
      ? `${model(e)} is overloaded, even after retries. ${begin} ${later(e)}.`
      : `Both models are overloaded. I tried for ${e.detail.bothForS} s.`,
  stalled: (e, { begin }) => `${model(e)} went silent, even after retries. ${begin} to continue.`,
  incomplete_stream: (e, { begin }) => `${provider(e)} stopped in the middle of its answer. ${begin} to continue.`,
  context_overflow: (e) => `This thread is longer than ${model(e)} can read at once. Start a new thread to continue.`,
  bad_request: (e) =>
    `${provider(e)} rejected the request${refNote(e)}. ${model(e)} can't handle something in this thread: try another model or a new thread.`,
  unknown_model: (e) => {
    const which = `the model ${named(e.detail.model, "that is set")}`;
    if (e.detail.reason !== undefined) return `${provider(e)} cannot serve ${which}: ${e.detail.reason}.`;
    return `${provider(e)} does not know ${which}. An operator must correct it.`;
  },
  unknown_provider: (e) =>
    `I cannot use ${named(e.detail.provider, "the model that is set")}${e.detail.reason === undefined ? "" : `: ${e.detail.reason}`}. An operator must correct it.`,
  unpriced_model: (e) => e.detail.reason ?? "The price of the model is unknown.",
  network: (e, { within }) => {
    const whom = `I cannot reach ${e.detail.providerName ?? e.detail.platform ?? "the model provider"}`;
    const why = connectionRemedy(e);
    if (why !== null) return `${whom}: ${why}. Then ${within}.`;
    return `${whom}. Check the network or the base URL; then ${within}.`;
  },
  provider_failed: (e, { begin }) => `${provider(e)} failed, even after retries. ${begin} ${later(e)}.`,
  empty_response: (e) => `${model(e)} returned nothing, twice. Rephrase your message, or choose another model.`,
  refused: (e) =>
    `${model(e)} declined to answer. I left your request out of this thread: rephrase it, or choose another model.`,
  repeating: (e) =>
    `Stopped: the model made the same call ${named(e.detail.name, "of a tool")} ${e.detail.times ?? "several"} times in a row, each time with the same result. Rephrase your message, or tell me more.`,
  missing_scope: (e) =>
    `${platform(e)} does not let me ${e.detail.purpose ?? "do that"}${e.detail.scope === undefined ? "" : ` (\`${e.detail.scope}\`)`}. ${e.detail.mend ?? "Add the permission to the app and reinstall it."}`,
  platform_auth: (e) =>
    `${platform(e)} does not accept my token. An operator must renew ${named(e.detail.keyVariable, "it")}.`,
  thread_gone: (e) => `The thread on ${platform(e)} is gone, or I was removed from its channel.`,
  platform_rate_limited: (e) => `${platform(e)} is limiting my messages right now. I'll continue ${later(e)}.`,
  platform_failed: (e, { begin }) => `${platform(e)} failed${refNote(e)}. ${begin} ${later(e)}.`,
  attachment_unreadable: (e) =>
    `I could not read ${e.detail.name === undefined ? "an attachment" : `\`${e.detail.name}\``}. Attach it again, or paste its text.`,
  config: (e) =>
    e instanceof ConfigError
      ? `An operator must fix the configuration:\n${e.problems.map((problem) => `- ${problem}`).join("\n")}`
      : "The configuration is not valid. An operator finds the problems in the log.",
  stale_owner: (e) =>
    ENDS[e.detail.lost ?? ""] ?? "Another of my processes has taken over this thread and continues it.",
  database_newer: () =>
    "The database belongs to a newer version of Deckhand. An operator must start that version; nothing was changed.",
  disk_full: (_, { within }) => `My disk is full. An operator must free space; then ${within}.`,
  sandbox_limit: (e) => `${e.detail.name ?? "A tool"} · stopped at ${e.detail.limit ?? "a limit of the sandbox"}`,
  sandbox_failed: (e, { begin }) =>
    `${e.detail.name ?? "A tool"} · the sandbox failed${refNote(e)}. ${begin} to continue.`,
  defect: (e) =>
    e.detail.ref === undefined
      ? "Something broke on my side. An operator finds it in the log. Your message is kept."
      : `Something broke on my side (code ${e.detail.ref}). An operator finds it in the log under that code. Your message is kept.`,
};

function provider(error: AppError): string {
  return error.detail.providerName ?? "The model provider";
}

function model(error: AppError): string {
  return error.detail.model ?? "The model";
}

function platform(error: AppError): string {
  return error.detail.platform ?? "The chat platform";
}

function named(name: string | undefined, fallback: string): string {
  return name === undefined ? fallback : `\`${name}\``;
}

function keyVariable({ detail }: AppError): string {
  return detail.keyVariable === undefined ? "it" : `\`${detail.keyVariable}\`, or the key on the page`;
}

function refNote(error: AppError): string {
  return error.detail.ref === undefined ? "" : ` (code ${error.detail.ref})`;
}

function later(error: AppError): string {
  if (error.retryAfterMs === undefined) return "in a minute";
  const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1000));
  return seconds < 180 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}
