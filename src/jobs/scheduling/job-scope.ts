import type { ModelChoice } from "../../core/budget/model-choice.ts";
import type { Cluster } from "../../core/cluster.ts";
import type { SessionEngine } from "../../core/engine/engine.ts";
import type { JobAction } from "../../core/jobs/job-control.ts";
import type { AccessRules } from "../../core/permissions/access.ts";
import type { MembershipOf } from "../../core/permissions/channel-access.ts";
import type { ApprovalRules } from "../../core/permissions/deciders.ts";
import type { MemberOf } from "../../core/permissions/members.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { OutgoingMessage, Platforms, ThreadRef } from "../../core/protocol/platform.ts";
import type { Runtime } from "../../core/protocol/runtime.ts";
import type { SkillCatalogue } from "../../core/skills/skills.ts";
import type { JobRow } from "../../core/store/jobs.ts";
import type { Store } from "../../core/store/store.ts";
import type { Ticker } from "./ticker.ts";

/** What somebody has done with a job. */
interface JobAct extends Record<"by" | "about" | "details", string> {
  readonly act: `job.${"add" | "edit" | Exclude<JobAction, "show" | "logs">}`;
}

/** What scheduling jobs and managing them takes; each part picks its own. */
export interface JobScope {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver" | "deliverAt" | "cancel">;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly cluster: Pick<Cluster, "hold" | "hear" | "tell" | "size">;
  /** Who is served, and who are admins. */
  readonly access: AccessRules;
  /** Who, beside admins, may give a job more rights than to look: approvers, or whoever asks where nobody is named. */
  readonly approvals: Pick<ApprovalRules, "approvers" | "requester">;
  /** The agent that answers in a channel. */
  readonly agentOf: (channelKey: string) => string;
  readonly agents: () => ReadonlySet<string>;
  /** The skills that hold in a thread. */
  readonly skillsOf: (thread: ThreadRef) => SkillCatalogue;
  readonly models: Pick<ModelChoice, "problemWith">;
  /** Names of the tools that there are. */
  readonly tools: () => readonly string[];
  readonly membershipOf: MembershipOf;
  readonly memberOf: MemberOf;
  readonly platforms: Platforms;
  /** IANA name. */
  readonly defaultTimezone: string;
  /** An operator has set that one; otherwise it is the machine's. */
  readonly isTimezoneSet: boolean;
  /** Posts in a thread, or in the channel where there is none; the key is the post's own. */
  readonly announce: (thread: ThreadRef, message: OutgoingMessage, key: string) => Promise<unknown>;
  /** Writes down for the audit log what somebody has done with a job; it never rejects. */
  readonly audit: (entry: JobAct) => Promise<void>;
  readonly ticker: Ticker;
  /** Why a job must not run; null when it may. */
  readonly refusalOf: (
    job: Pick<JobRow, "ownerId" | "ownerName" | "agent" | "skill" | "source" | "thread">,
  ) => Promise<Refusal | null>;
  readonly scheduler: Scheduling;
}

export interface Refusal {
  /** The owner is what stands against it: the job may be another's. */
  readonly isOwners: boolean;
  /** As people read it. */
  readonly reason: string;
}

/** What others have done with a job's due times. */
interface Scheduling {
  /** Looks at a job anew: it has changed, or is due. */
  look(jobId: string): Promise<void>;
  /** Runs it now; why not, as people read it, or null. */
  runNow(job: JobRow, at: number): Promise<string | null>;
  /** The run before is over: the due time that has waited longest begins. */
  startWaiting(jobId: string): Promise<void>;
}
