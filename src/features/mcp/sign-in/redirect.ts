import { once } from "node:events";
import { createServer } from "node:http";
import { systemCode } from "../../../core/protocol/system-code.ts";
import type { McpUrlServer } from "../server-settings.ts";
import { SignInProblem } from "./problems.ts";

/** The port of the redirect address of a registered client, which cannot name another one each time. */
const USUAL_PORT = 33_418;
const HOST = "127.0.0.1";

/** The redirect address to register by hand. */
export const USUAL_REDIRECT = addressAt(USUAL_PORT);

function addressAt(port: number): string {
  return `http://${HOST}:${port}/callback`;
}

/** Names under which a browser on this machine reaches the listener. */
const OWN_NAMES = ["127.0.0.1", "localhost"];

/** The end of a sign-in: the browser is sent to `uri` with the answer, and reaches the listener if it runs here. */
export interface Redirect extends AsyncDisposable {
  readonly uri: string;
  readonly isListening: boolean;
}

/**
 * Listens on the loopback interface for the answer. `answered` returns what the browser shows. A redirect address of
 * the settings that is elsewhere is not listened at; people paste what they are sent to.
 */
export async function openRedirect(
  { oauth = {} }: McpUrlServer,
  answered: (answer: URLSearchParams) => string,
): Promise<Redirect> {
  const usual = oauth.clientId === undefined ? 0 : USUAL_PORT;
  const wanted = new URL(oauth.redirectUri ?? addressAt(usual));
  if (wanted.protocol !== "http:" || !OWN_NAMES.includes(wanted.hostname)) {
    return { uri: wanted.href, isListening: false, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? "", wanted.href);
    const isAnswer = request.method === "GET" && url?.pathname === wanted.pathname;
    const text = isAnswer ? answered(url.searchParams) : "There is nothing here.";
    response.writeHead(isAnswer ? 200 : 404, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(text);
  });
  // A browser may keep connections open that it does not use.
  server.on("connection", (socket) => socket.unref());
  const port = oauth.redirectUri === undefined ? usual : Number(wanted.port === "" ? 80 : wanted.port);
  try {
    server.listen(port, HOST);
    await once(server, "listening");
  } catch (error) {
    const why = systemCode(error) ?? "unknown error";
    throw new SignInProblem(
      `Port ${port} of this machine cannot be used (${why}). Free it, or name another one in \`oauth.redirectUri\`.`,
    );
  }
  const address = server.address();
  if (port === 0 && typeof address === "object" && address !== null) wanted.port = String(address.port);
  return {
    // A registered address counts as it is written.
    uri: oauth.redirectUri ?? wanted.href,
    isListening: true,
    [Symbol.asyncDispose]() {
      server.close();
      return Promise.resolve();
    },
  };
}

/** The answer in a pasted address, or in its part behind the question mark; null if there is none. */
export function pastedAnswer(line: string): URLSearchParams | null {
  const text = line.trim();
  const given = URL.parse(text)?.searchParams ?? new URLSearchParams(text.replace(/^\?/u, ""));
  return given.has("code") || given.has("error") ? given : null;
}
