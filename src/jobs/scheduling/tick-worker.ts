import { parentPort, workerData } from "node:worker_threads";

/** Runs in one of Bree's worker threads at a due time and names the jobs that are due. */
const { jobIds }: { readonly jobIds: readonly string[] } = workerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, not a window
for (const jobId of jobIds) parentPort?.postMessage({ jobId });
