import { once } from "node:events";
import { createServer } from "node:http";
import { type Configuration, Provider } from "oidc-provider";
import { onTestFinished, vi } from "vitest";
import { freePort } from "../program/free-port.ts";

export const CLIENT = { id: "deckhand", secret: "a-secret-of-this-client-alone" };

/** What the provider says about a person. */
export interface Subject {
  groups?: readonly string[];
  /** The person's user name at the provider. */
  preferred_username?: string;
}

export interface ProviderServer {
  readonly issuer: string;
  /** Keyed by login name, which is also the subject. */
  readonly people: Map<string, Subject>;
  /** How often a code was redeemed. */
  readonly codes: () => number;
  /** Sets the provider's clock back by so many seconds for new tokens. */
  slow(seconds: number): void;
  stop(): Promise<void>;
}

/** A real OpenID Connect provider on this machine, which believes any login and redirects people to `back`. */
export async function startProvider(back: string, changed: Configuration = {}): Promise<ProviderServer> {
  // A host other than the page's, so that a browser treats it as another site, like a real provider.
  const issuer = `http://localhost:${await freePort()}`;
  const people = new Map<string, Subject>();
  let codes = 0;
  let behindS = 0;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [back],
      },
    ],
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"] },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => Promise.resolve({ sub: accountId, ...people.get(accountId) }),
    }),
    // Consent is granted without asking.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: CLIENT.id, accountId: oidc.session?.accountId ?? "" });
      grant.addOIDCScope("openid profile");
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: 3_600,
      AuthorizationCode: 60,
      Grant: 3_600,
      IdToken: 3_600,
      Interaction: 3_600,
      Session: 3_600,
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
    cookies: { keys: ["a-key-for-tests-only"] },
    ...changed,
  });
  const handle = provider.callback();
  const server = createServer((request, response) => {
    if (request.url === "/token") {
      codes += 1;
      if (behindS > 0) {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - behindS * 1_000 });
        response.once("finish", () => vi.useRealTimers());
      }
    }
    const at = new URL(request.url ?? "/", issuer);
    const accountId = at.searchParams.get("who");
    const login = { accountId: accountId ?? "" };
    const fail = () => response.destroy();
    if (!at.pathname.startsWith("/sign-in/")) handle(request, response).catch(fail);
    else if (at.searchParams.has("deny"))
      provider.interactionFinished(request, response, { error: "access_denied" }).catch(fail);
    else if (accountId !== null) provider.interactionFinished(request, response, { login, consent: {} }).catch(fail);
    else {
      response.setHeader("content-type", "text/html");
      response.end('<form><label>Who are you?<input name="who"></label></form>');
    }
  });
  server.listen(Number(new URL(issuer).port), "127.0.0.1");
  await once(server, "listening");
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  };
  onTestFinished(stop);
  return {
    issuer,
    people,
    codes: () => codes,
    slow: (seconds) => {
      behindS = seconds;
    },
    stop,
  };
}
