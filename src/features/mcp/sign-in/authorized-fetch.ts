import { extractWWWAuthenticateParams, type FetchLike } from "@modelcontextprotocol/client";
import type { McpServer } from "../server-settings.ts";
import type { Access } from "./access.ts";

/** How often a request is repeated with another token: once for one that was replaced, once for one renewed. */
const MAX_REPEATS = 2;

/**
 * Sends the token of the account that signed in, and repeats a request that the server refuses, if there is another
 * token. Only the server's own origin gets the token.
 */
export function authorizedFetch(fetchIt: FetchLike, access: Access | null, server: URL): FetchLike {
  if (access === null) return fetchIt;
  return async (url, init = {}) => {
    if (new URL(url).origin !== server.origin) return fetchIt(url, init);
    let how: "replaced" | "renewed" | null = null;
    for (let repeats = 0; ; repeats++) {
      const token = await access.token();
      const response = await fetchIt(url, withToken(init, token));
      if (response.status !== 401) return response;
      const isSignIn = extractWWWAuthenticateParams(response).resourceMetadataUrl !== undefined;
      how = await access.another({ token, isSignIn, wasRenewed: how === "renewed" });
      if (how === null || repeats === MAX_REPEATS) return response;
      await response.body?.cancel();
    }
  };
}

function withToken(init: RequestInit, token: string | null): RequestInit {
  if (token === null) return init;
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

/** Whether the operator has given the server a credential, in place of which no account signs in. */
export function hasOwnCredential(settings: McpServer): boolean {
  if ("command" in settings) return true;
  return Object.keys(settings.headers ?? {}).some((name) => name.toLowerCase() === "authorization");
}
