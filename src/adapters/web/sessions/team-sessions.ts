import type { Person, ThreadRef } from "../../../core/platform/thread.ts";
import type { RunStep, SessionSummary } from "../../../core/protocol/session-summary.ts";
import type { SignedIn } from "../server/logins.ts";

/** The team's sessions on all platforms, as the page shows them to one person. */
export interface TeamSessions {
  /** Lists the sessions that the viewer may see, the newest first. */
  list(viewer: Viewer, query: SessionQuery): Promise<SessionList>;
  /** The filters available to the viewer. */
  choices(viewer: Viewer): Promise<SessionChoices>;
  /** Null if there is no such session or the viewer may not see it. */
  session(viewer: Viewer, id: string): Promise<TeamSession | null>;
  /** A session's changes to a file; null if there are none that the viewer may see. */
  change(viewer: Viewer, asked: { readonly sessionId: string; readonly path: string }): Promise<SessionChange | null>;
  /** Presses a button as the person that the viewer is on the session's platform; null as for `session`. */
  press(viewer: Viewer, pressed: Press): Promise<Pressed | null>;
  /** The existing channels among these ids (`slack:C1`) that the viewer may see, by id. */
  channels(viewer: Viewer, ids: readonly string[]): Promise<ReadonlyMap<string, SeenChannel>>;
  /** Subscribes to changes; returns the function that unsubscribes. */
  watch(watching: SessionWatch): () => void;
}

export interface SeenChannel {
  /** The channel's place, without a thread. */
  readonly thread: ThreadRef;
  /** The viewer's person on that platform; null if there is none. */
  readonly person: Person | null;
}

export interface SessionWatch {
  /** The current viewer; null if the login session has ended. */
  readonly viewer: () => Promise<Viewer | null>;
  /** The session to watch; null for the list of all. */
  readonly sessionId: string | null;
  readonly send: (news: SessionNews) => void;
}

/**
 * `changed`: these sessions have changed. `text`: streamed text of an answer, which replaces everything from character
 * `at` on; each watch begins with all the text so far.
 */
export type SessionNews =
  | { readonly type: "changed"; readonly sessionIds: readonly string[] }
  | {
      readonly type: "text";
      readonly sessionId: string;
      readonly answer: string;
      readonly at: number;
      readonly text: string;
    };

/** Whoever holds the page's key on this machine, or an account. */
export type Viewer = { readonly kind: "operator" } | { readonly kind: "account"; readonly account: SignedIn };

/** `none` means that no run has begun. */
export type SessionState = "none" | "working" | "waiting" | "done" | "failed" | "stopped";

/** Filters of the list; an empty string does not filter. */
export interface SessionQuery {
  /** Words to find in titles and messages. */
  readonly text: string;
  /** `slack:U1` */
  readonly person: string;
  /** `slack:C1` */
  readonly channel: string;
  readonly agent: string;
  readonly state: SessionState | "";
  /** Minimum cost, in US dollars. */
  readonly leastUsd: number;
  /** Cursor from the previous page; empty for the first one. */
  readonly after: string;
}

export interface SessionList {
  readonly sessions: readonly ListedSession[];
  /** Cursor of the next page; null after the last one. Even a page with few or no sessions may have a next one. */
  readonly next: string | null;
}

export interface ListedSession {
  readonly id: string;
  /** The first words of the message that began the session. */
  readonly title: string;
  readonly platform: string;
  readonly workspace: string;
  /** Display name: `#ops`. */
  readonly channel: string;
  readonly agent: string;
  readonly state: SessionState;
  /** Cost in US dollars, including sub-agents; null if there was some and no price is known. */
  readonly costUsd: number | null;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

export interface SessionChoices {
  readonly channels: readonly Choice[];
  readonly people: readonly Choice[];
  readonly agents: readonly string[];
  /** Platforms whose sessions are hidden because the account is linked to no person there. */
  readonly unlinked: readonly string[];
}

interface Choice {
  readonly id: string;
  readonly name: string;
}

export interface TeamSession extends ListedSession {
  readonly mode: string;
  /** `provider/model` */
  readonly model: string;
  readonly entries: readonly SessionEntry[];
  /** Number of older entries that are left out. */
  readonly earlier: number;
  readonly cards: readonly SessionCard[];
  /** Address of its thread; null if the thread has none. */
  readonly link: string | null;
  /** Commands that the viewer may give here: `command:export`. */
  readonly commands: readonly SessionCommand[];
  /** Action id of the newest run's Stop; null if nothing can be stopped or the viewer only reads. */
  readonly stop: string | null;
  readonly files: SessionSummary["files"];
  readonly usage: SessionUsage;
  readonly tasks: readonly SessionTask[];
  /** The session that started this sub-agent's session; null for other sessions. */
  readonly parentId: string | null;
  /** The person as whom the viewer presses buttons here; null if there is none. */
  readonly actsAs: string | null;
}

export type SessionCommand = "command:export" | "command:fork";

export interface SessionUsage {
  readonly calls: number;
  readonly tokens: number;
}

/** A message or a tool call. */
export type SessionEntry =
  | {
      readonly kind: "message";
      readonly id: string;
      readonly by: "person" | "agent" | "note";
      readonly author: string;
      readonly markdown: string;
      readonly tone: "plain" | "error" | "task";
      /** Milliseconds since the epoch. */
      readonly at: number;
    }
  | { readonly kind: "step"; readonly step: RunStep };

export interface SessionChange {
  readonly before: string;
  readonly after: string;
  /** Why the change is not shown, as a sentence; null if it is. */
  readonly notShown: string | null;
}

/** A card with which the session waits for a person. */
export interface SessionCard {
  readonly id: string;
  readonly kind: "approval" | "question" | "plan";
  readonly markdown: string;
  readonly footer: string;
  /** Texts that are too long for the card. */
  readonly attached: readonly { readonly name: string; readonly text: string }[];
  /** Empty if the viewer may not decide. */
  readonly buttons: readonly {
    readonly id: string;
    readonly label: string;
    readonly style: "default" | "primary" | "danger";
  }[];
}

/** A sub-agent and the sub-agents that it started. */
export interface SessionTask {
  readonly id: string;
  readonly agent: string;
  readonly description: string;
  readonly state: SessionState;
  readonly costUsd: number | null;
  readonly tasks: readonly SessionTask[];
}

export interface Press {
  readonly sessionId: string;
  /** Idempotency key, the same when the click is sent again. */
  readonly clickId: string;
  /** A button's id, such as `stop:run_1`, or one of the session's commands. */
  readonly action: string;
}

/** Outcome of a press. `words` is a message in Markdown; null if there is nothing to say. */
export interface Pressed {
  readonly words: string | null;
  /** Files that accompany the message. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

/** What the page shows about a session before it is deleted. */
export interface SessionToDelete {
  /** False if others share the session or the viewer only reads. */
  readonly mayDelete: boolean;
  /** True if a run is active, which deletion stops first. */
  readonly isLive: boolean;
  readonly messages: number;
  /** Number of sub-agents' sessions. */
  readonly agents: number;
  readonly memories: number;
}
