/** What happens to a table's rows. `none` means that the rows contain nothing of a session or person. */
type Fate = "deleted" | "cleared" | "kept" | "none";

interface Table {
  /** When a session is deleted, or is too old. */
  readonly session: Fate;
  /** When a person's data is deleted. */
  readonly person: Fate;
}

/**
 * Every table. `deleted` rows are removed; `cleared` rows stay without words, and with a pseudonym for the person;
 * `kept` rows stay unchanged. docs/retention.md gives the reasons.
 */
export const TABLES = {
  Workspace: { session: "none", person: "none" },
  Channel: { session: "none", person: "none" },
  Session: { session: "deleted", person: "cleared" },
  InboxEvent: { session: "deleted", person: "cleared" },
  Run: { session: "deleted", person: "cleared" },
  JournalEntry: { session: "deleted", person: "deleted" },
  Message: { session: "deleted", person: "cleared" },
  ToolCall: { session: "deleted", person: "cleared" },
  Compaction: { session: "deleted", person: "cleared" },
  Usage: { session: "kept", person: "cleared" },
  Post: { session: "deleted", person: "cleared" },
  WebThread: { session: "deleted", person: "cleared" },
  WebMessage: { session: "deleted", person: "cleared" },
  WebFile: { session: "deleted", person: "deleted" },
  BudgetReservation: { session: "deleted", person: "cleared" },
  BudgetLock: { session: "none", person: "none" },
  // The audit log keeps who decided what.
  Approval: { session: "deleted", person: "cleared" },
  Grant: { session: "cleared", person: "deleted" },
  Question: { session: "deleted", person: "cleared" },
  Job: { session: "none", person: "deleted" },
  JobOccurrence: { session: "cleared", person: "cleared" },
  RunFeedback: { session: "deleted", person: "deleted" },
  RunUndo: { session: "deleted", person: "cleared" },
  PlatformPresence: { session: "none", person: "none" },
  AnsweredMessage: { session: "kept", person: "none" },
  KnownWorkspace: { session: "none", person: "none" },
  Memory: { session: "deleted", person: "deleted" },
  MemoryVector: { session: "deleted", person: "deleted" },
  MemorySent: { session: "none", person: "none" },
  MemoryUse: { session: "deleted", person: "deleted" },
  MemoryLesson: { session: "deleted", person: "deleted" },
  MemoryPause: { session: "none", person: "cleared" },
  FileLabel: { session: "kept", person: "cleared" },
  InstructionCard: { session: "deleted", person: "cleared" },
  Site: { session: "none", person: "cleared" },
  SiteVersion: { session: "none", person: "cleared" },
  Account: { session: "none", person: "kept" },
  LoginSession: { session: "none", person: "kept" },
  LoginAttempt: { session: "none", person: "none" },
  LinkCode: { session: "none", person: "none" },
  AccountLink: { session: "none", person: "deleted" },
  AuditEntry: { session: "kept", person: "kept" },
  Deletion: { session: "deleted", person: "deleted" },
  ProviderKey: { session: "none", person: "kept" },
  McpSignIn: { session: "none", person: "kept" },
  Revision: { session: "none", person: "kept" },
} as const satisfies Readonly<Record<string, Table>>;

/** Tables whose rows are deleted with their session, ordered so that no remaining row refers to a deleted one. */
export const SESSION_TABLES = [
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
