/** Which column a narrow screen shows. */
export type Column = "threads" | "thread" | "details";
