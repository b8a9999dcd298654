/** What the server tells of agents, skills and instructions (src/features/definitions/routes.ts). */

export type DefinitionKind = "agent" | "skill";
export type Kind = DefinitionKind | "instructions";

interface NamedChannel {
  /** `slack:C1` */
  readonly key: string;
  readonly name: string;
}

export interface Listed {
  readonly name: string;
  readonly description: string;
  readonly from: "file" | "page" | "shipped";
  readonly place: string | null;
  readonly hasShipped: boolean;
}

interface ChannelDefinitions extends NamedChannel {
  readonly agent: string;
  readonly skills: readonly { readonly name: string; readonly description: string; readonly source: string }[];
}

export interface DefinitionList {
  readonly rows: readonly Listed[];
  /** What is wrong with files, a line each. */
  readonly problems: readonly string[];
  /** The agent of channels whose settings name none. */
  readonly usual: string;
  readonly channels: readonly ChannelDefinitions[];
  readonly mayEdit: boolean;
}

export interface OneDefinition extends Listed {
  readonly text: string;
  readonly number: number;
  readonly shipped: string | null;
  readonly facts: readonly { readonly term: string; readonly words: string }[];
  readonly channels: readonly NamedChannel[];
  readonly isUsual: boolean;
  readonly mayEdit: boolean;
}

export interface InstructionChannel extends NamedChannel {
  readonly agent: string;
  readonly isSet: boolean;
}

export interface InstructionChannels {
  readonly rows: readonly InstructionChannel[];
  readonly isSetForAll: boolean;
  readonly mayEdit: boolean;
}

export interface ToldInChannel {
  readonly text: string;
  readonly number: number;
  readonly isSet: boolean;
  readonly agent: string;
  readonly sandboxRoot: string | null;
  readonly files: readonly {
    readonly source: string;
    readonly text: string;
    readonly isFollowed: boolean;
    readonly bytes: number;
  }[];
  readonly mayEdit: boolean;
}

export interface Checked {
  /** Why it cannot be called so. */
  readonly name: string | null;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
  readonly notes: readonly string[];
  readonly bytes: number;
}

export interface RevisionRow {
  readonly number: number;
  /** Empty: whoever holds the page's key. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly isTakenBack: boolean;
}

/** What somebody else has set meanwhile. */
export interface Theirs {
  readonly number: number;
  readonly content: string | null;
  readonly by: string;
}

export type Outcome =
  | { readonly type: "saved"; readonly number: number }
  | { readonly type: "conflict"; readonly newest: Theirs | null }
  | { readonly type: "refused"; readonly why: string }
  | ({ readonly type: "invalid" } & Pick<Checked, "problems">);
