import { test } from "vitest";
import type { OutgoingMessage } from "../../src/core/platform/outgoing.ts";
import { AppError } from "../../src/core/protocol/errors.ts";
import { Inbox } from "./inbox.ts";
import type { PlatformHarness } from "./platform-harness.ts";

/** Defines a test only if it applies to the platform, so that no test is skipped on the others. */
export function testIf(applies: boolean): (name: string, run: () => Promise<void>) => void {
  return (name, run) => {
    if (applies) test(name, run);
  };
}

/** Starts the harness's adapter with a new inbox behind it. */
export async function begin(harness: PlatformHarness): Promise<Inbox> {
  const inbox = new Inbox();
  await harness.platform.start(inbox.receive, new AbortController().signal);
  return inbox;
}

/** Returns the value; throws if the harness lacks it. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the harness lacks what its traits promise");
  return value;
}

export function plainMessage(markdown: string, extra: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return { lane: "answer", tone: "plain", buttons: [], files: [], markdown, ...extra };
}

/** The AppError that the promise rejects with, or null if it resolves. Any other error is thrown. */
export async function failureOf(promise: Promise<unknown>): Promise<AppError | null> {
  try {
    await promise;
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
