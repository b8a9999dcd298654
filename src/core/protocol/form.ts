/** Fields for what a command lacks. */
export interface Form {
  readonly title: string;
  /** The command's name, and those of its arguments that are settled. */
  readonly command: string;
  readonly line: string;
  /** The most important first: where a platform shows fewer, the others are typed line by line in its last one. */
  readonly fields: readonly FormField[];
}

export interface FormField {
  /** Small letters, digits and hyphens. */
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
  readonly kind: "text" | "multiline" | "choice" | "channel";
  /** How it is written. */
  readonly hint?: string;
  /** What stands in it at first; of a channel, its id. */
  readonly value?: string;
  /** `value` is this machine's own time zone: where it is known where the person is, theirs is the better one. */
  readonly isMachinesZone?: boolean;
  /** What can be chosen; absent: the field is no choice. */
  readonly choices?: readonly string[];
}

/** What a person has filled in, by the fields' names; empty where nothing is. */
export type FormValues = Readonly<Record<string, string>>;

/** What is wrong with what was filled in, by the fields' names. Sentences. */
export type FormProblems = Readonly<Record<string, string>>;
