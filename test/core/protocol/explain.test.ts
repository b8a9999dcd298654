import { expect, test } from "vitest";
import {
  AppError,
  type AppErrorOptions,
  ConfigError,
  DefectError,
  type ErrorCode,
  toAppError,
} from "../../../src/core/protocol/errors.ts";
import { defectRef, explain, reasonOf, reasonOfCode, withRef } from "../../../src/core/protocol/explain.ts";

const anthropic = { providerName: "Anthropic", keyVariable: "ANTHROPIC_API_KEY", model: "claude-opus-5-5" };

/** Every error code, with the details that its thrower gives and the sentence that people read. */
const sentences: Readonly<Record<ErrorCode, readonly [AppErrorOptions, string]>> = {
  auth: [
    { detail: anthropic },
    "✗ Anthropic does not accept the key. An operator must check `ANTHROPIC_API_KEY`, or the key on the page; then mention me again.",
  ],
  quota: [
    { detail: anthropic },
    "✗ The Anthropic account has reached its spending or usage limit. Raise it, or set a fallback model.",
  ],
  rate_limited: [
    { detail: anthropic, retryAfterMs: 39_200 },
    "✗ Anthropic is limiting my requests right now. Mention me again in 40 s.",
  ],
  overloaded: [
    { detail: anthropic },
    "✗ claude-opus-5-5 is overloaded, even after retries. Mention me again in a minute.",
  ],
  stalled: [{ detail: anthropic }, "✗ claude-opus-5-5 went silent, even after retries. Mention me again to continue."],
  incomplete_stream: [
    { detail: anthropic },
    "✗ Anthropic stopped in the middle of its answer. Mention me again to continue.",
  ],
  context_overflow: [
    { detail: anthropic },
    "✗ This thread is longer than claude-opus-5-5 can read at once. Start a new thread to continue.",
  ],
  bad_request: [
    { detail: anthropic },
    "✗ Anthropic rejected the request. claude-opus-5-5 can't handle something in this thread: try another model or a new thread.",
  ],
  unknown_model: [
    { detail: { providerName: "Anthropic", model: "claude-9" } },
    "✗ Anthropic does not know the model `claude-9`. An operator must correct it.",
  ],
  unknown_provider: [
    { detail: { provider: "antropic", reason: "no provider is called antropic" } },
    "✗ I cannot use `antropic`: no provider is called antropic. An operator must correct it.",
  ],
  unpriced_model: [
    { detail: { model: "house/big", reason: "The price of `house/big` is unknown." } },
    "✗ The price of `house/big` is unknown.",
  ],
  network: [
    { detail: anthropic },
    "✗ I cannot reach Anthropic. Check the network or the base URL; then mention me again.",
  ],
  provider_failed: [{ detail: anthropic }, "✗ Anthropic failed, even after retries. Mention me again in a minute."],
  empty_response: [
    { detail: anthropic },
    "✗ claude-opus-5-5 returned nothing, twice. Rephrase your message, or choose another model.",
  ],
  refused: [
    { detail: anthropic },
    "✗ claude-opus-5-5 declined to answer. I left your request out of this thread: rephrase it, or choose another model.",
  ],
  repeating: [
    { detail: { name: "read", times: "5" } },
    "✗ Stopped: the model made the same call `read` 5 times in a row, each time with the same result. Rephrase your message, or tell me more.",
  ],
  missing_scope: [
    { detail: { platform: "Slack", scope: "files:read", purpose: "read files here" } },
    "✗ Slack does not let me read files here (`files:read`). Add the permission to the app and reinstall it.",
  ],
  platform_auth: [
    { detail: { platform: "Discord", keyVariable: "DISCORD_TOKEN" } },
    "✗ Discord does not accept my token. An operator must renew `DISCORD_TOKEN`.",
  ],
  thread_gone: [{ detail: { platform: "Slack" } }, "✗ The thread on Slack is gone, or I was removed from its channel."],
  platform_rate_limited: [
    { detail: { platform: "Slack" }, retryAfterMs: 100 },
    "✗ Slack is limiting my messages right now. I'll continue in 1 s.",
  ],
  platform_failed: [
    { detail: { platform: "Slack", ref: "7F3K2" } },
    "✗ Slack failed (code 7F3K2). Mention me again in a minute.",
  ],
  attachment_unreadable: [
    { detail: { name: "log.txt" } },
    "✗ I could not read `log.txt`. Attach it again, or paste its text.",
  ],
  config: [{}, "✗ The configuration is not valid. An operator finds the problems in the log."],
  stale_owner: [{}, "✗ Another of my processes has taken over this thread and continues it."],
  database_newer: [
    {},
    "✗ The database belongs to a newer version of Deckhand. An operator must start that version; nothing was changed.",
  ],
  disk_full: [{}, "✗ My disk is full. An operator must free space; then mention me again."],
  sandbox_limit: [{ detail: { name: "bash", limit: "60 s" } }, "✗ bash · stopped at 60 s"],
  sandbox_failed: [
    { detail: { name: "grep", ref: "7F3K2" } },
    "✗ grep · the sandbox failed (code 7F3K2). Mention me again to continue.",
  ],
  defect: [
    { detail: { ref: "7F3K2" } },
    "✗ Something broke on my side (code 7F3K2). An operator finds it in the log under that code. Your message is kept.",
  ],
};

const cases = Object.entries(sentences).map(([code, [options, sentence]]) => ({ code, options, sentence }));

test.each(cases)("$code is explained with its details", ({ code, options, sentence }) => {
  expect(explain(new AppError(codeOf(code), "for the log", options))).toBe(sentence);
});

test.each(cases)(
  "$code is explained without a mention where nobody mentions the agent",
  ({ code, options, sentence }) => {
    const direct = sentence.replace("Mention me again", "Write again").replace("mention me again", "write again");
    const reason = reasonOf(new AppError(codeOf(code), "for the log", options), { isDirect: true });
    expect(`✗ ${reason}`).toBe(direct);
  },
);

test.each(cases)("$code is explained in whole sentences when no detail is known", ({ code }) => {
  const text = explain(new AppError(codeOf(code), "for the log"));
  expect(text).toMatch(/^✗ \S/);
  expect(text).not.toMatch(/undefined|null|\[object|for the log|``| {2}/);
});

function codeOf(code: string): ErrorCode {
  const known = Object.keys(sentences).find((candidate): candidate is ErrorCode => candidate === code);
  if (known === undefined) throw new Error(`no code ${code}`);
  return known;
}

test.each([
  {
    detail: { ...anthropic, reason: "no key" },
    sentence: "✗ There is no key for Anthropic. An operator must set `ANTHROPIC_API_KEY`; then mention me again.",
  },
  {
    detail: { reason: "no key" },
    sentence: "✗ There is no key for the model provider. An operator must set one; then mention me again.",
  },
])("a missing key is not called a wrong one: $sentence", ({ detail, sentence }) => {
  expect(explain(new AppError("auth", "for the log", { detail }))).toBe(sentence);
});

test("a long wait is stated in minutes", () => {
  expect(explain(new AppError("rate_limited", "", { retryAfterMs: 3_601_000 }))).toContain("again in 61 min.");
});

test("all problems of a configuration are listed", () => {
  expect(explain(new ConfigError(["port: must be a number", "model: must be provider/model"]))).toBe(
    "✗ An operator must fix the configuration:\n- port: must be a number\n- model: must be provider/model",
  );
});

test("a defect's reference has five unambiguous characters", () => {
  const ends = [0, 0.999_999].map((value) => defectRef({ next: () => value }));
  expect(ends).toEqual(["22222", "ZZZZZ"]);
  let seed = 7;
  const random = {
    next: () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    },
  };
  const refs = Array.from({ length: 500 }, () => defectRef(random));
  expect(refs.every((ref) => /^[2-9A-HJKMNP-TV-Z]{5}$/.test(ref))).toBe(true);
  expect(new Set(refs).size).toBeGreaterThan(490);
});

test("a full disk is not a defect", () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, mkdir 'x'"), { code: "ENOSPC" });
  expect(toAppError(error)).toMatchObject({ code: "disk_full", cause: error });
});

test("an AppError keeps its code", () => {
  const error = new DefectError("cannot be", new Error("cause"));
  const reported = withRef(error, { next: () => 0 });
  expect(reported).toMatchObject({ code: "defect", message: "cannot be", detail: { ref: "22222" }, cause: error });
});

test("explanations in a list do not suggest a mention, and a foreign code has no explanation", () => {
  expect(reasonOfCode("network")).toBe(
    "I cannot reach the model provider. Check the network or the base URL; then write again.",
  );
  expect(reasonOfCode("nothing of ours")).toBeNull();
});

test.each([
  ["CERT_NOT_YET_VALID", "has expired or is not valid yet: check the clock of this machine"],
  ["CERT_HAS_EXPIRED", "has expired or is not valid yet: check the clock of this machine"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "is for another name: check the base URL"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "is not trusted here: add its authority's certificate in NODE_EXTRA_CA_CERTS"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "is not trusted here: add its authority's certificate in NODE_EXTRA_CA_CERTS"],
])("a provider whose certificate is not accepted (%s) is reported with the remedy", (code, remedy) => {
  const cause = new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
  const error = new AppError("network", "Connection error.", { cause, detail: anthropic });
  expect(explain(error)).toBe(
    `✗ I cannot reach Anthropic: its certificate ${remedy} (${code}). Then mention me again.`,
  );
});
