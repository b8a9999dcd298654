import { createServer } from "node:https";
import { expect, test } from "vitest";
import { text, useSandbox } from "../file-session.ts";
import { EXPIRED, VALID } from "./certificates.ts";
import { fetchSession, listening, PUBLIC, type Site } from "./fetch-session.ts";

const sandbox = useSandbox();

interface SecureSite extends Pick<Site, "port"> {
  readonly url: (host: string) => string;
  /** Server names that clients requested. */
  readonly names: string[];
  readonly requests: string[];
}

async function startSecureSite(certificate: typeof VALID): Promise<SecureSite> {
  const names: string[] = [];
  const requests: string[] = [];
  const server = createServer({ ...certificate }, ({ url }, response) => {
    requests.push(url ?? "");
    response.end("encrypted");
  });
  server.on("secureConnection", (socket) => names.push(String(socket.servername)));
  const { port } = await listening(server, PUBLIC, 0);
  return { port, names, requests, url: (host) => `https://${host}:${port}/` };
}

test("a valid certificate is accepted for the requested name", async () => {
  const site = await startSecureSite(VALID);
  const session = fetchSession(sandbox, { sites: [site], ca: VALID.cert });
  expect(text(await session.fetch(site.url("page.example")))).toContain("encrypted");
  expect(site.names).toEqual(["page.example"]);
});

test("a certificate may be issued for an IP address", async () => {
  const site = await startSecureSite(VALID);
  const session = fetchSession(sandbox, { sites: [site], ca: VALID.cert });
  expect(text(await session.fetch(site.url(PUBLIC)))).toContain("encrypted");
});

const failing = [
  { name: "that nobody signed", site: VALID, ca: undefined, host: "page.example", code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
  { name: "of another host", site: VALID, ca: VALID.cert, host: "other.example", code: "ERR_TLS_CERT_ALTNAME_INVALID" },
  { name: "that has expired", site: EXPIRED, ca: EXPIRED.cert, host: "page.example", code: "CERT_HAS_EXPIRED" },
];

test.each(failing)("a certificate $name is refused before anything is sent", async ({ site: pair, ca, host, code }) => {
  const site = await startSecureSite(pair);
  const session = fetchSession(sandbox, { sites: [site], ...(ca === undefined ? {} : { ca }) });
  const result = await session.fetch(site.url(host));
  expect(result.isError).toBe(true);
  expect(text(result)).toContain(`certificate is not valid (${code})`);
  expect(site.requests).toEqual([]);
});
