/** Keys by which costs are summed up. */
export const USAGE_GROUPS: readonly string[] = ["user", "channel", "model", "job", "day"];
