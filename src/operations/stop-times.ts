/** How long a shutdown waits for work that cannot be aborted. In milliseconds. */
export const DRAIN_MS = 5_000;

/**
 * Time limit of a shutdown, so that a hanging database or network does not keep the process alive. Supervisors wait
 * longer (compose.yaml, deploy/kubernetes.yaml). In milliseconds.
 */
export const STOP_WITHIN_MS = 6_500;

/** The same for a process asked to hand over its work, for which nobody waits. In milliseconds. */
export const HAND_OVER_MS = 60_000;
