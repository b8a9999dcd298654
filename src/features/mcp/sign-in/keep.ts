import type { FetchLike } from "@modelcontextprotocol/client";
import type { AuditEntry } from "../../../feature-host.ts";
import { revokeReplaced } from "./revoke.ts";
import { openRow, type SignedServer, type SignIn, storeSignIn, type Vault } from "./signed-in.ts";
import { signInWrites } from "./store.ts";

interface Keeping {
  readonly vault: Vault;
  /** Who signs in, for the list. */
  readonly by: string;
  readonly now: number;
  readonly guarded: FetchLike;
  readonly audit: (entry: Pick<AuditEntry, "act" | "about">) => Promise<void>;
}

/** Stores a sign-in and revokes the one in whose place it is. Returns what the person must know, in sentences. */
export async function keepSignIn(
  signIn: SignIn,
  at: SignedServer,
  { vault, by, now, guarded, audit }: Keeping,
): Promise<readonly string[]> {
  const earlier = await storeSignIn(signIn, at, { ...vault, by, now });
  await audit({ act: "mcp.signed_in", about: at.settings.title ?? at.server });
  const isOver =
    earlier.type === "open"
      ? await revokeReplaced(earlier.signIn, signIn, guarded)
      : earlier.type === "none" || earlier.type === "refused";
  const ends = signIn.refreshToken === null && signIn.renewAt !== null ? new Date(signIn.renewAt).toISOString() : null;
  return [
    ...(isOver ? [] : ["The earlier sign-in may still be valid: if it was another account's, end it at the service."]),
    ...(ends === null
      ? []
      : [`The service issued no refresh token: the sign-in ends at ${ends.slice(0, 16)} UTC. Sign in again then.`]),
  ];
}

/** Removes the sign-in to a server, whose settings may be gone, and revokes it. Null if there is none. */
export async function forgetSignIn(
  { server, settings }: Pick<SignedServer, "server"> & Partial<SignedServer>,
  { vault, guarded }: { readonly vault: Vault; readonly guarded: FetchLike | null },
): Promise<{ readonly isRevoked: boolean } | null> {
  const row = await vault.store.transaction((tx) => tx.tables(signInWrites).take(server));
  if (row === null) return null;
  if (settings === undefined || guarded === null) return { isRevoked: false };
  const kept = await openRow(row, { server, settings }, vault);
  return { isRevoked: kept.type === "open" && (await revokeReplaced(kept.signIn, null, guarded)) };
}
