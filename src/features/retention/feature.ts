import { toAppError } from "../../core/protocol/errors.ts";
import type { Feature, FeatureHost, OpenFeature } from "../../feature.ts";

/** What is kept, and for how long: sessions, people's data and what is old are deleted. */
export const retentionFeature: Feature = {
  name: "retention",
  settings: {},
  configure: () => ({ problems: [], open: (host) => Promise.resolve(openRetention(host)) }),
};

/** How long until the program is ready, which asks the database for what matters more. Milliseconds. */
const READY_MS = 500;

function openRetention(host: FeatureHost): OpenFeature {
  const stopping = new AbortController();
  let working: Promise<void> = Promise.resolve();
  return {
    start(signal) {
      working = work(host, AbortSignal.any([signal, stopping.signal]));
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

/** What a process before this one has begun to delete is finished. */
async function work(host: FeatureHost, signal: AbortSignal): Promise<void> {
  try {
    await host.runtime.clock.sleep(READY_MS, signal);
    const { finishDeletions } = await import("./finish-deletions.ts");
    await finishDeletions(host, signal);
  } catch (error) {
    if (!signal.aborted) host.log.error({ err: toAppError(error) }, "deletion_not_finished");
  }
}
