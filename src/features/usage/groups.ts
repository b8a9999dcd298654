/** What costs are summed up by. */
export const USAGE_GROUPS: readonly string[] = ["user", "channel", "model", "job", "day"];
