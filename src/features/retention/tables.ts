/** What becomes of a table's rows. `none`: they hold nothing of one. */
type Fate = "deleted" | "cleared" | "kept" | "none";

/**
 * Every table there is, and what becomes of it with a session. `deleted` rows go; `cleared` ones stay without anybody's words;
 * `kept` ones stay as they are. docs/retention.md says why.
 */
export const TABLES = {
  Workspace: "none",
  Channel: "none",
  Session: "deleted",
  InboxEvent: "deleted",
  Run: "deleted",
  JournalEntry: "deleted",
  Message: "deleted",
  ToolCall: "deleted",
  Compaction: "deleted",
  Usage: "kept",
  Post: "deleted",
  WebThread: "deleted",
  WebMessage: "deleted",
  WebFile: "deleted",
  BudgetReservation: "deleted",
  BudgetLock: "none",
  // Who decided what is in the audit log.
  Approval: "deleted",
  Grant: "cleared",
  Question: "deleted",
  Job: "none",
  JobOccurrence: "cleared",
  RunFeedback: "deleted",
  RunUndo: "deleted",
  PlatformPresence: "none",
  AnsweredMessage: "kept",
  KnownWorkspace: "none",
  Memory: "deleted",
  MemoryVector: "deleted",
  MemorySent: "none",
  MemoryUse: "deleted",
  MemoryLesson: "deleted",
  MemoryPause: "none",
  FileLabel: "kept",
  InstructionCard: "deleted",
  Site: "none",
  SiteVersion: "none",
  Account: "none",
  LoginSession: "none",
  LoginAttempt: "none",
  LinkCode: "none",
  AccountLink: "none",
  AuditEntry: "kept",
  Deletion: "deleted",
} as const satisfies Readonly<Record<string, Fate>>;

/** Tables whose rows go with their session, in an order in which none refers to one that is gone before it. */
export const OF_SESSIONS = [
  ["JournalEntry", "runId"],
  ["RunFeedback", "runId"],
  ["MemoryUse", "runId"],
  ["InstructionCard", "runId"],
  ["Post", "runId"],
  ["RunUndo", "sessionId"],
  ["ToolCall", "sessionId"],
  ["Compaction", "sessionId"],
  ["Approval", "sessionId"],
  ["Question", "sessionId"],
  ["BudgetReservation", "sessionId"],
  ["MemoryLesson", "sessionId"],
  ["Message", "sessionId"],
  ["InboxEvent", "sessionId"],
  ["Run", "sessionId"],
] as const satisfies readonly (readonly [keyof typeof TABLES, "runId" | "sessionId"])[];
