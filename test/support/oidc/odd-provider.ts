import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";

type Words = Readonly<Record<string, unknown>>;

/** How a provider differs from most others. */
export interface Oddity {
  /** Path behind the origin in its issuer. */
  readonly path?: string;
  /** Metadata of the provider; undefined omits a field. */
  readonly metadata?: Words;
  readonly claims?: Words;
  readonly userinfo?: Words;
  /** Status and error of the token endpoint; null if the secret is presented correctly. */
  readonly refuses?: (shown: Shown) => readonly [number, string] | null;
}

/** How a client presented its secret: in a header (without base64), or in the body. */
export interface Shown {
  readonly header: string | null;
  readonly body: string | null;
}

/** A provider that knows one person, u-1, and gives a token for any code. */
export interface OddProvider {
  readonly origin: string;
  readonly shown: readonly Shown[];
}

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

export async function startOddProvider(
  { path = "", metadata = {}, claims = {}, userinfo = {}, refuses = () => null }: Oddity,
  { nonce, clientId }: { readonly nonce: string; readonly clientId: string },
): Promise<OddProvider> {
  const shown: Shown[] = [];
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`;
  const issuer = `${origin}${path}`;
  const said: Words = {
    issuer,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    userinfo_endpoint: `${origin}/userinfo`,
    jwks_uri: `${origin}/keys`,
    id_token_signing_alg_values_supported: ["ES256"],
    ...metadata,
  };
  const tokens = async (request: IncomingMessage): Promise<readonly [number, Words]> => {
    const form = new URLSearchParams(await textOf(request));
    const [, encoded] = (request.headers.authorization ?? "").split(" ");
    const header = encoded === undefined ? null : Buffer.from(encoded, "base64").toString();
    const one = { header, body: form.get("client_secret") };
    shown.push(one);
    const refused = refuses(one);
    if (refused !== null) return [refused[0], { error: refused[1] }];
    const now = Math.floor(Date.now() / 1_000);
    const token = { iss: said["issuer"], sub: "u-1", aud: clientId, nonce, iat: now, exp: now + 300, ...claims };
    return [200, { access_token: "of-no-use", token_type: "Bearer", id_token: signed(token) }];
  };
  server.on("request", (request, response) => {
    const { pathname } = new URL(request.url ?? "/", origin);
    const answer = (status: number, body: Words): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (pathname.endsWith("/.well-known/openid-configuration")) answer(200, said);
    else if (pathname === "/keys") answer(200, { keys: [publicKey.export({ format: "jwk" })] });
    else if (pathname === "/userinfo") answer(200, { sub: "u-1", ...userinfo });
    else if (pathname === "/token")
      tokens(request)
        .then((given) => answer(...given))
        .catch(() => response.destroy());
    else answer(404, {});
  });
  return { origin, shown };
}

function signed(claims: Words): string {
  const text = [{ alg: "ES256" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
