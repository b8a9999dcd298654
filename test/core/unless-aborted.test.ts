import { expect, test } from "vitest";
import { unlessAborted } from "../../src/core/unless-aborted.ts";

const forEver = () => new Promise<never>(() => {});

test("waiting for work ends when the signal aborts, also if it was aborted before", async () => {
  const { signal } = new AbortController();
  await expect(unlessAborted(Promise.resolve("done"), signal)).resolves.toBe("done");
  await expect(unlessAborted(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
  await expect(unlessAborted(forEver(), AbortSignal.abort("before"))).rejects.toBe("before");
  const stopping = new AbortController();
  const waiting = unlessAborted(forEver(), stopping.signal);
  stopping.abort("meanwhile");
  await expect(waiting).rejects.toBe("meanwhile");
});
