/** Providers of models, as the page shows them. */
export interface TeamProviders {
  readonly rows: readonly TeamProvider[];
  /** What answers where neither a channel nor a thread has another model. */
  readonly answers: { readonly model: string; readonly isDemo: boolean };
  /** Why stored keys cannot be used, as a sentence; null: all can be. */
  readonly problem: string | null;
  readonly mayChange: boolean;
}

/** Its key is not in it. */
export interface TeamProvider {
  readonly id: string;
  readonly name: string;
  /** Where its key is from where it is not stored: a variable or a file; null: it is stored, or there is none. */
  readonly keyFrom: string | null;
  /** A key that was set here or by the command line: who has set it and when, and its end. Null: none is stored. */
  readonly stored: {
    readonly hint: string;
    readonly by: string;
    /** Milliseconds since the epoch. */
    readonly at: number;
    /** Neither the environment nor the settings file has one that wins, and it could be opened. */
    readonly isUsed: boolean;
  } | null;
  readonly keyRequired: boolean;
  /** The variable that a key goes into. */
  readonly keyVariable: string | null;
  /** It has a key, or an address of the operator's. */
  readonly isConfigured: boolean;
  /** How many models have known figures. */
  readonly models: number;
}

/** Null: unknown. */
export interface TeamModel {
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number | null;
  /** US dollars per million tokens. */
  readonly price: { readonly input: number; readonly output: number } | null;
}
