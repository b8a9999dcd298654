import type { Person, ThreadRef } from "../../../core/protocol/platform.ts";
import type { RunStep, SessionSummary } from "../../../core/protocol/session-summary.ts";
import type { SignedIn } from "../server/logins.ts";

/** The work of the whole team on all platforms, as the page shows it to one person. */
export interface TeamSessions {
  /** The newest first, of those that the viewer may see. */
  list(viewer: Viewer, query: SessionQuery): Promise<SessionList>;
  /** What the viewer may search by. */
  choices(viewer: Viewer): Promise<SessionChoices>;
  /** Null where there is no such session, or the viewer may not see it. */
  session(viewer: Viewer, id: string): Promise<TeamSession | null>;
  /** What a session has made of a file; null where there is nothing that the viewer may see. */
  change(viewer: Viewer, asked: { readonly sessionId: string; readonly path: string }): Promise<SessionChange | null>;
  /** Presses a button as the person that the viewer is on the session's platform; null as for `session`. */
  press(viewer: Viewer, pressed: Press): Promise<Pressed | null>;
  /** Those of the channels (`slack:C1`) that there are and the viewer may see, by id. */
  channels(viewer: Viewer, ids: readonly string[]): Promise<ReadonlyMap<string, SeenChannel>>;
  /** Tells of changes until the answer is called. */
  watch(watching: SessionWatch): () => void;
}

export interface SeenChannel {
  /** Without a thread. */
  readonly thread: ThreadRef;
  /** The viewer as they are there; null: they look as nobody. */
  readonly person: Person | null;
}

export interface SessionWatch {
  /** Who looks, as they are now; null: nobody any more. */
  readonly viewer: () => Promise<Viewer | null>;
  /** The session that is shown; null: the list of all. */
  readonly sessionId: string | null;
  readonly tell: (news: SessionNews) => void;
}

/**
 * `changed`: what these sessions hold is another now. `text`: words of an answer as the model writes them, which take the
 * place of all that there is of it from `at` on, in characters; each watch begins with all that there is.
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

/** `none`: no run has begun. */
export type SessionState = "none" | "working" | "waiting" | "done" | "failed" | "stopped";

/** Empty strings leave all in. */
export interface SessionQuery {
  /** Words that a title or a message holds. */
  readonly text: string;
  /** `slack:U1` */
  readonly person: string;
  /** `slack:C1` */
  readonly channel: string;
  readonly agent: string;
  readonly state: SessionState | "";
  /** US dollars that were spent at least. */
  readonly leastUsd: number;
  /** Where the page before ended; empty for the first one. */
  readonly after: string;
}

export interface SessionList {
  readonly sessions: readonly ListedSession[];
  /** What the next page begins after; null behind the last one. A page may hold few, or none, and still have a next one. */
  readonly next: string | null;
}

export interface ListedSession {
  readonly id: string;
  /** The first words of what began it. */
  readonly title: string;
  readonly platform: string;
  readonly workspace: string;
  /** As people read it: `#ops`. */
  readonly channel: string;
  readonly agent: string;
  readonly state: SessionState;
  /** US dollars with its sub-agents'; null where it was something, and no price is known. */
  readonly costUsd: number | null;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

export interface SessionChoices {
  readonly channels: readonly Choice[];
  readonly people: readonly Choice[];
  readonly agents: readonly string[];
  /** Platforms with sessions that nobody is seen on, since no person of theirs is linked to the account. */
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
  /** Older ones that are not among the entries. */
  readonly earlier: number;
  readonly cards: readonly SessionCard[];
  /** Where its thread is to be read; null where that has no address. */
  readonly link: string | null;
  /** Commands that the viewer may give here: `command:export`. */
  readonly commands: readonly SessionCommand[];
  /** Presses the newest run's Stop; null where nothing can be stopped, or the viewer only reads. */
  readonly stop: string | null;
  readonly files: SessionSummary["files"];
  readonly usage: SessionUsage;
  readonly tasks: readonly SessionTask[];
  /** The session that began a sub-agent; null of any other. */
  readonly parentId: string | null;
  /** As whom the viewer presses buttons here; null: as nobody. */
  readonly actsAs: string | null;
}

export type SessionCommand = "command:export" | "command:fork";

export interface SessionUsage {
  readonly calls: number;
  readonly tokens: number;
}

/** What was said, or a tool call. */
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
  /** Why neither is there, in a sentence; null: they are. */
  readonly notShown: string | null;
}

/** What the session waits for a person with. */
export interface SessionCard {
  readonly id: string;
  readonly kind: "approval" | "question" | "plan";
  readonly markdown: string;
  readonly footer: string;
  /** What is too long for the card. */
  readonly attached: readonly { readonly name: string; readonly text: string }[];
  /** None where the viewer may not decide. */
  readonly buttons: readonly {
    readonly id: string;
    readonly label: string;
    readonly style: "default" | "primary" | "danger";
  }[];
}

/** A sub-agent, and those that it has begun. */
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
  /** The same when it is sent again. */
  readonly clickId: string;
  /** A button's id: `stop:run_1`; or one of the session's commands. */
  readonly action: string;
}

/** `words`: what the person is told, in Markdown; null where it has simply been done. */
export interface Pressed {
  readonly words: string | null;
  /** What came with that. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

/** What the page tells of a session before it is deleted. */
export interface SessionToDelete {
  /** False: others have a say in it, or the viewer only reads. */
  readonly mayDelete: boolean;
  /** A run goes on: it is stopped first. */
  readonly isLive: boolean;
  readonly messages: number;
  /** Sub-agents' sessions. */
  readonly agents: number;
  readonly memories: number;
}
