import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { expect, test } from "vitest";
import { gatewayRefusal, isDiscordError, toPlatformError } from "../../../src/adapters/discord/errors.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";

function api(status: number, code: number): DiscordAPIError {
  const request = { files: undefined, body: undefined };
  return new DiscordAPIError({ code, message: "no" }, code, status, "POST", "https://discord.example", request);
}

const http = new HTTPError(502, "Bad Gateway", "POST", "https://discord.example", {
  files: undefined,
  body: undefined,
});
const limit = new RateLimitError({
  global: false,
  hash: "h",
  limit: 5,
  majorParameter: "1",
  method: "POST",
  retryAfter: 20_000,
  route: "/channels/:id/messages",
  scope: "user",
  sublimitTimeout: 0,
  timeToReset: 20_000,
  url: "https://discord.example",
});

test.each<[string, unknown, object]>([
  ["401", api(401, 0), { code: "platform_auth", detail: { keyVariable: "DISCORD_TOKEN" } }],
  [
    "a dropped token",
    new Error("Expected token to be set for this request, but none was present"),
    { code: "platform_auth" },
  ],
  [
    "50001",
    api(403, 50_001),
    { code: "missing_scope", detail: { scope: "View Channel", mend: expect.stringContaining("private thread") } },
  ],
  ["50013", api(403, 50_013), { code: "missing_scope", detail: { scope: "Add Reactions" } }],
  ["a locked thread", api(400, 160_005), { code: "missing_scope", detail: { scope: "Manage Threads" } }],
  ["an unknown channel", api(404, 10_003), { code: "thread_gone" }],
  ["an unknown message", api(404, 10_008), { code: "thread_gone" }],
  ["a message of the application before this one", api(403, 50_005), { code: "thread_gone" }],
  ["a left server", api(404, 10_004), { code: "thread_gone" }],
  ["closed direct messages", api(403, 50_007), { code: "thread_gone" }],
  ["somebody who is no user", api(400, 50_033), { code: "thread_gone" }],
  ["an archived thread", api(400, 50_083), { code: "thread_gone" }],
  ["an invalid form", api(400, 50_035), { code: "defect" }],
  ["a file that is too large", api(413, 40_005), { code: "defect" }],
  ["a message that moderation blocks", api(400, 200_000), { code: "defect" }],
  ["somebody who has left", api(403, 50_278), { code: "thread_gone" }],
  [
    "a server full of threads",
    api(400, 160_006),
    { code: "missing_scope", detail: { mend: "Archive some, then ask again." } },
  ],
  [
    "a forum itself",
    api(400, 50_008),
    { code: "missing_scope", detail: { mend: expect.stringContaining("--channel") } },
  ],
  ["a forum itself, in newer words", api(400, 40_058), { code: "missing_scope" }],
  [
    "a server in which Discord has limited uploads",
    api(403, 400_001),
    { code: "missing_scope", detail: { purpose: "send files" } },
  ],
  ["a channel of announcements full of threads", api(400, 160_007), { code: "missing_scope" }],
  [
    "a server that wants two factors of its moderators",
    api(403, 60_003),
    { code: "missing_scope", detail: { scope: "Add Reactions", mend: expect.stringContaining("two-factor") } },
  ],
  ["another 400", api(400, 30_001), { code: "platform_failed", detail: { refused: "unknown" } }],
  ["502", http, { code: "platform_failed" }],
  ["a long 429", limit, { code: "platform_rate_limited", retryAfterMs: 20_000 }],
  ["a refused connection", Object.assign(new Error("connect"), { code: "ECONNREFUSED" }), { code: "network" }],
  ["a closed socket", Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }), { code: "network" }],
  ["a time-out", new DOMException("This operation was aborted", "AbortError"), { code: "network" }],
  ["an answer that is no JSON", new SyntaxError("Unexpected token"), { code: "platform_failed" }],
  ["a bug of ours", new TypeError("x is not a function"), { code: "defect" }],
])("%s maps to an error code with an explanation for people", (_name, thrown, expected) => {
  expect(toPlatformError(thrown, "Add Reactions")).toMatchObject(expected);
});

test("an AppError keeps its code", () => {
  const error = new PlatformError("attachment_unreadable", "no");
  expect(toPlatformError(error, "")).toBe(error);
});

test("Discord's error codes are recognised, also as the cause of our errors", () => {
  const raw = api(404, 10_003);
  expect(isDiscordError(raw, "UnknownChannel")).toBe(true);
  expect(isDiscordError(toPlatformError(raw, ""), "UnknownMessage", "UnknownChannel")).toBe(true);
  expect(isDiscordError(toPlatformError(raw, ""), "UnknownMessage")).toBe(false);
  expect(isDiscordError(new Error("no"), "UnknownChannel")).toBe(false);
});

test.each([
  [4004, "platform_auth"],
  [4010, "defect"],
  [4013, "defect"],
  [4014, "missing_scope"],
])("gateway close code %i is fatal: %s", (code, expected) => {
  expect(gatewayRefusal(code)?.code).toBe(expected);
});

test.each([1000, 1006, 4000, 4007, 4009])("after gateway close code %i the adapter reconnects", (code) => {
  expect(gatewayRefusal(code)).toBeNull();
});
