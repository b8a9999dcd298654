import type { Definition, DefinitionCheck } from "../../../core/agents/page-definitions.ts";

/** Agents, skills and instructions, as the page receives them. */

export type DefinitionKind = "agent" | "skill";
export type Kind = DefinitionKind | "instructions";

export interface NamedChannel {
  /** `slack:C1` */
  readonly key: string;
  /** The channel's name on its platform; the key if nobody has written there yet. */
  readonly name: string;
}

export interface ListedDefinition {
  readonly name: string;
  readonly description: string;
  /** Source of the effective text: the operator's files and settings, the page, or the program itself. */
  readonly from: "file" | "page" | "shipped";
  /** Where the operator's text is stored; null for other sources. */
  readonly place: string | null;
  readonly hasShipped: boolean;
  readonly facts: Definition["facts"];
}

export interface FullDefinition extends ListedDefinition {
  /** The text to edit: the operator's if there is one, else the page's, else the shipped one. */
  readonly text: string;
  /** Number of the newest revision; 0 if there is none. */
  readonly number: number;
  /** The text shipped with the program; null if it ships none of that name. */
  readonly shipped: string | null;
}

interface ChannelDefinitions extends NamedChannel {
  readonly agent: string;
  readonly skills: readonly { readonly name: string; readonly description: string; readonly source: string }[];
}

export interface DefinitionList {
  readonly rows: readonly ListedDefinition[];
  /** Problems with files, one line each. */
  readonly problems: readonly string[];
  /** The default agent, for channels whose settings name none. */
  readonly usual: string;
  readonly channels: readonly ChannelDefinitions[];
  readonly mayEdit: boolean;
}

export interface DefinitionDetails extends FullDefinition {
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

export interface EffectiveInstructions {
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

export interface Checked extends DefinitionCheck {
  /** Why the name is invalid; null if it is valid. */
  readonly name: string | null;
  readonly bytes: number;
}

export interface RevisionRow {
  readonly number: number;
  /** Empty for whoever holds the page's key. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly isTakenBack: boolean;
}

/** A revision that somebody else has saved meanwhile. */
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
