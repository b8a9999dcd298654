import type { Definition } from "../../../core/agents/page-definitions.ts";

/** What the page is told of agents, skills and instructions. */

export type DefinitionKind = "agent" | "skill";
export type Kind = DefinitionKind | "instructions";

/** A channel as these pages name it. */
export interface NamedChannel {
  /** `slack:C1` */
  readonly key: string;
  /** As its platform calls it; the key where nobody has written there yet. */
  readonly name: string;
}

/** A line of the list. */
export interface ListedDefinition {
  readonly name: string;
  readonly description: string;
  /** Where what holds is from: the operator's files and settings, the page, or what comes with the program. */
  readonly from: "file" | "page" | "shipped";
  /** Where it stands, for one that the operator has written down. */
  readonly place: string | null;
  readonly hasShipped: boolean;
  readonly facts: Definition["facts"];
}

/** One of them with its text. */
export interface WholeDefinition extends ListedDefinition {
  /** What is edited: the page's text, or the shipped one; of one that the operator has written down, that. */
  readonly text: string;
  /** The number of the newest revision; 0 where there is none. */
  readonly number: number;
  /** As it comes with the program; null: nothing of that name does. */
  readonly shipped: string | null;
}

interface ChannelDefinitions extends NamedChannel {
  readonly agent: string;
  readonly skills: readonly { readonly name: string; readonly description: string; readonly source: string }[];
}

export interface DefinitionList {
  readonly rows: readonly ListedDefinition[];
  /** What is wrong with files, a line each. */
  readonly problems: readonly string[];
  /** The agent of channels whose settings name none. */
  readonly usual: string;
  readonly channels: readonly ChannelDefinitions[];
  readonly mayEdit: boolean;
}

export interface OneDefinition extends WholeDefinition {
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
