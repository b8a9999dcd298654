import type { ModelChoice } from "../../core/budget/model-choice.ts";
import type { Cluster } from "../../core/cluster.ts";
import type { SessionEngine } from "../../core/engine/engine.ts";
import type { JobAction } from "../../core/jobs/job-control.ts";
import type { AccessRules } from "../../core/permissions/access.ts";
import type { MembershipOf } from "../../core/permissions/channel-access.ts";
import type { ApprovalRules } from "../../core/permissions/deciders.ts";
import type { MemberOf } from "../../core/permissions/members.ts";
import type { Platforms } from "../../core/platform/descriptor.ts";
import type { OutgoingMessage } from "../../core/platform/outgoing.ts";
import type { PlatformName, ThreadRef } from "../../core/platform/thread.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Runtime } from "../../core/protocol/runtime.ts";
import type { SkillCatalogue } from "../../core/skills/skills.ts";
import type { JobRow } from "../../core/store/jobs.ts";
import type { Store } from "../../core/store/store.ts";
import type { Ticker } from "./ticker.ts";

/** An audit entry about an action on a job. */
interface JobAct extends Record<"by" | "about" | "details", string> {
  readonly act: `job.${"add" | "edit" | Exclude<JobAction, "show" | "logs">}`;
}

/** Dependencies of scheduling and managing jobs; each part picks what it needs. */
export interface JobScope {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver" | "deliverAt" | "cancel">;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly cluster: Pick<Cluster, "hold" | "subscribe" | "publish" | "size">;
  /** Who may use the bot, and who is an admin. */
  readonly access: AccessRules;
  /** Who besides admins may grant a job more than reading: approvers, or the requester if none are named. */
  readonly approvals: Pick<ApprovalRules, "approvers" | "requester">;
  readonly agentOf: (channelKey: string) => string;
  readonly agents: () => ReadonlySet<string>;
  readonly skillsOf: (thread: ThreadRef) => SkillCatalogue;
  readonly models: Pick<ModelChoice, "problemWith">;
  /** Names of the existing tools. */
  readonly tools: () => readonly string[];
  readonly membershipOf: MembershipOf;
  readonly memberOf: MemberOf;
  readonly platforms: Platforms;
  /** Whether this program serves the platform. */
  readonly isOn: (platform: PlatformName) => boolean;
  /** IANA name. */
  readonly defaultTimezone: string;
  /** Whether an operator set the time zone; otherwise it is the machine's. */
  readonly isTimezoneSet: boolean;
  /** Posts in a thread, or in the channel if there is none. The key is unique to the post. */
  readonly announce: (thread: ThreadRef, message: OutgoingMessage, key: string) => Promise<unknown>;
  /** Records an action in the audit log. Never rejects. */
  readonly audit: (entry: JobAct) => Promise<void>;
  readonly ticker: Ticker;
  /** Why a job must not run; null if it may. */
  readonly refusalOf: (
    job: Pick<JobRow, "ownerId" | "ownerName" | "agent" | "skill" | "source" | "thread">,
  ) => Promise<Refusal | null>;
  readonly scheduler: Scheduling;
}

export interface Refusal {
  /** Whether the owner is the reason, so that another owner can take the job over. */
  readonly isOwners: boolean;
  /** The reason, for people. */
  readonly reason: string;
}

/** The scheduler's operations for other parts. */
interface Scheduling {
  /** Checks a job again because it changed or is due. */
  check(jobId: string): Promise<void>;
  /** Runs it now. Returns null, or why not, for people. */
  runNow(job: JobRow, at: number): Promise<string | null>;
  /** Starts the longest-waiting occurrence, because the run before it has ended. */
  startWaiting(jobId: string): Promise<void>;
}
