import { test } from "vitest";
import { AppError } from "../../src/core/protocol/errors.ts";
import type { OutgoingMessage } from "../../src/core/protocol/platform.ts";
import { Inbox } from "./inbox.ts";
import type { PlatformHarness } from "./platform-harness.ts";

/** A test that exists only where the platform has what it is about: elsewhere there is nothing to skip. */
export function testIf(applies: boolean): (name: string, run: () => Promise<void>) => void {
  return (name, run) => {
    if (applies) test(name, run);
  };
}

/** Starts the harness's adapter with a fresh inbox behind it. */
export async function begin(harness: PlatformHarness): Promise<Inbox> {
  const inbox = new Inbox();
  await harness.platform.start(inbox.receive, new AbortController().signal);
  return inbox;
}

/** What a test cannot go on without. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the harness lacks what its traits promise");
  return value;
}

export function plainMessage(markdown: string, extra: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return { lane: "answer", tone: "plain", buttons: [], files: [], markdown, ...extra };
}

/** The AppError a promise rejects with, or null when it resolves. Anything else thrown is a failure. */
export async function failureOf(promise: Promise<unknown>): Promise<AppError | null> {
  try {
    await promise;
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
