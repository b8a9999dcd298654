import { type FetchLike, selectClientAuthMethod } from "@modelcontextprotocol/client";
import type { SignIn } from "./signed-in.ts";

/**
 * Revokes a sign-in in whose place there is now another one, or none (null); false if it may still be valid. A client that
 * both have in common is left alone: many services would revoke all that its account has given to it, the newer tokens
 * as well.
 */
export async function revokeReplaced(earlier: SignIn, current: SignIn | null, guarded: FetchLike): Promise<boolean> {
  return current?.client.client_id !== earlier.client.client_id && revoke(earlier, guarded);
}

/** Whether the authorization server has revoked the tokens. Source: RFC 7009. */
async function revoke({ client, provider, ...tokens }: SignIn, guarded: FetchLike): Promise<boolean> {
  const { revocation_endpoint: endpoint, token_endpoint_auth_methods_supported: methods = [] } = provider;
  if (endpoint === undefined) return false;
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  const secret = client.client_secret ?? "";
  const method = selectClientAuthMethod(client, methods);
  if (method === "client_secret_basic") {
    headers.set("authorization", `Basic ${Buffer.from(`${client.client_id}:${secret}`).toString("base64")}`);
  }
  const asked = [
    { token: tokens.refreshToken, token_type_hint: "refresh_token" },
    { token: tokens.accessToken, token_type_hint: "access_token" },
  ];
  try {
    for (const { token, token_type_hint } of asked) {
      if (token === null) continue;
      const body = new URLSearchParams({ token, token_type_hint });
      if (method !== "client_secret_basic") body.set("client_id", client.client_id);
      if (method === "client_secret_post") body.set("client_secret", secret);
      const { ok } = await guarded(endpoint, { method: "POST", headers, body });
      if (!ok) return false;
    }
    return true;
  } catch {
    return false;
  }
}
