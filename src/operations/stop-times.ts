/** How long a shutdown waits for what cannot be cut off. Milliseconds. */
export const DRAIN_MS = 5_000;

/**
 * After this time a shutdown is cut off: a database or network that hangs must not keep the process. Supervisors wait
 * longer (compose.yaml, deploy/kubernetes.yaml). Milliseconds.
 */
export const STOP_WITHIN_MS = 6_500;

/** The same where somebody has asked the process to hand all over: then nobody waits for it. Milliseconds. */
export const HAND_OVER_MS = 60_000;
