export type ConnectionState =
  /** `why` is the reason why it was not connected before; null at first. */
  | { readonly type: "connecting"; readonly why: string | null }
  | { readonly type: "connected"; readonly since: number }
  | {
      readonly type: "down";
      readonly why: string;
      readonly since: number;
      /** Null if immediately. */
      readonly nextAt: number | null;
      /** It is hardly tried again until somebody signs in. */
      readonly waitsForSignIn: boolean;
    }
  | { readonly type: "stopped" };
