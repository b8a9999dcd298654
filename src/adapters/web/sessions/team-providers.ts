export interface TeamProviders {
  readonly rows: readonly TeamProvider[];
  /** The default model, for channels and threads without a model of their own. */
  readonly answers: { readonly model: string; readonly isDemo: boolean };
  /** Why stored keys cannot be used, as a sentence; null if all can. */
  readonly problem: string | null;
  readonly mayChange: boolean;
}

/** A model provider, without its key. */
export interface TeamProvider {
  readonly id: string;
  readonly name: string;
  /** The variable or file that supplies the key; null if the key is stored or there is none. */
  readonly keyFrom: string | null;
  /** The key set on the page or by the command line, with its last characters as `hint`; null if none is stored. */
  readonly stored: {
    readonly hint: string;
    readonly by: string;
    /** Milliseconds since the epoch. */
    readonly at: number;
    /** True if the key could be decrypted and neither the environment nor the settings file overrides it. */
    readonly isUsed: boolean;
  } | null;
  readonly keyRequired: boolean;
  readonly keyVariable: string | null;
  /** True if the provider has a key or an address set by the operator. */
  readonly isConfigured: boolean;
  /** Number of models with known figures. */
  readonly models: number;
}

/** A model of a provider; figures are null if unknown. */
export interface TeamModel {
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number | null;
  /** US dollars per million tokens. */
  readonly price: { readonly input: number; readonly output: number } | null;
}
