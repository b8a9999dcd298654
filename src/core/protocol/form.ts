export interface Form {
  readonly title: string;
  /** The command's name. `line` holds its arguments that are already settled. */
  readonly command: string;
  readonly line: string;
  /** Most important first. A platform that shows fewer fields has the rest typed into its last one, line by line. */
  readonly fields: readonly FormField[];
}

export interface FormField {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
  readonly kind: "text" | "multiline" | "choice" | "channel";
  /** Shows how a value is written. */
  readonly hint?: string;
  /** Initial value; for a channel, its id. */
  readonly value?: string;
  /** True if `value` is this machine's time zone; the person's own zone replaces it if known. */
  readonly isMachinesZone?: boolean;
  /** The choices; absent if the field is not a choice. */
  readonly choices?: readonly string[];
}

/** What a person filled in, by field name; empty strings for fields left empty. */
export type FormValues = Readonly<Record<string, string>>;

/** Problems with the values, as sentences by field name. */
export type FormProblems = Readonly<Record<string, string>>;
