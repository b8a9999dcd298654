import { parentPort, workerData } from "node:worker_threads";

/** Runs in a worker thread of Bree's when a time has come: says which jobs are due. */
const { jobIds }: { readonly jobIds: readonly string[] } = workerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, not a window
for (const jobId of jobIds) parentPort?.postMessage({ jobId });
