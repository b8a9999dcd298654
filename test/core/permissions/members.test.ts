import { expect, test } from "vitest";
import { membersOn } from "../../../src/core/permissions/members.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { silentLog } from "../../support/silent-log.ts";

const CHANNEL: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: null };

function failing(error: Error) {
  const member = async () => {
    throw error;
  };
  return membersOn(new Map([["slack", { member }]]), silentLog);
}

test("a failed lookup does not make a known person unknown", async () => {
  const error = new PlatformError("network", "unreachable");
  await expect(failing(error)(CHANNEL, "slack:U1")).rejects.toBe(error);
});

test("facts that the platform does not provide stay unknown", async () => {
  const memberOf = failing(new PlatformError("missing_scope", "users:read"));
  expect(await memberOf(CHANNEL, "slack:U1")).toBeUndefined();
  expect(await memberOf(CHANNEL, "discord:1")).toBeUndefined();
});
