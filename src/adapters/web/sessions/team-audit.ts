/** Acts in the audit log, named by object and then by action, with the words shown for them. */
export const ACTS = {
  "account.added": "added an account",
  "account.password": "set an account's password",
  "account.removed": "removed an account",
  "account.role": "changed an account's role",
  "account.signed_out": "signed an account out",
  "agent.changed": "changed an agent",
  "approval.allowed": "allowed a tool call",
  "approval.denied": "denied a tool call",
  "database.copied": "copied the database",
  "instructions.changed": "changed instructions",
  "job.add": "added a job",
  "job.disable": "paused a job",
  "job.edit": "changed a job",
  "job.enable": "enabled a job",
  "job.remove": "removed a job",
  "job.run": "ran a job",
  "link.added": "linked an account",
  "link.removed": "unlinked an account",
  "login.ended": "signed out",
  "login.failed": "was refused at sign-in",
  "login.succeeded": "signed in",
  "login.throttled": "failed to sign in too often",
  "mcp.reconnected": "reconnected an MCP server",
  "mcp.signed_in": "signed in to an MCP server",
  "mcp.signed_out": "signed out of an MCP server",
  "memory.forgotten": "deleted memories",
  "memory.off": "turned memory off",
  "memory.on": "turned memory on",
  "person.deleted": "deleted a person's data",
  "provider.key_removed": "removed a provider's key",
  "provider.key_set": "set a provider's key",
  "provider.tested": "tested a provider's key",
  "replica.drained": "drained a process",
  "session.deleted": "deleted a session",
  "settings.changed": "changed settings",
  "skill.changed": "changed a skill",
} as const;

export type Act = keyof typeof ACTS;

/** Words for the act of a stored row; one that this version does not know is shown as it is stored. */
export function actWords(act: string): string {
  return Object.entries(ACTS).find(([known]) => known === act)?.[1] ?? act;
}

export interface AuditRow {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Empty if the person is unknown. */
  readonly by: string;
  readonly act: string;
  readonly about: string;
  readonly details: string;
  /** The session in which a decision was made; null for other acts. */
  readonly sessionId: string | null;
}
