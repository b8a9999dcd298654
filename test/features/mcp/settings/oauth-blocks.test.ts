import { expect, test } from "vitest";
import { mcpSettings } from "../../../../src/features/mcp/feature.ts";

/** How other programs spell the client of a server that wants a sign-in. */
const blocks: readonly { shape: string; entry: object; oauth?: object; why?: RegExp }[] = [
  {
    shape: "Claude Code",
    entry: { oauth: { clientId: "c", callbackPort: 8080 } },
    oauth: { clientId: "c", redirectUri: "http://localhost:8080/callback" },
  },
  {
    shape: "Gemini CLI",
    entry: {
      oauth: {
        enabled: true,
        clientId: "c",
        clientSecret: "$SECRET",
        scopes: ["a", "b"],
        tokenUrl: "https://x.test/t",
      },
    },
    oauth: { clientId: "c", clientSecret: "s-1", scope: "a b" },
  },
  {
    shape: "OpenCode",
    entry: {
      oauth: { clientId: "${ID}", clientSecret: "${SECRET}", scope: "a b", redirectUri: "http://127.0.0.1:9/cb" },
    },
    oauth: { clientId: "id-1", clientSecret: "s-1", scope: "a b", redirectUri: "http://127.0.0.1:9/cb" },
  },
  { shape: "OpenCode, turned off", entry: { oauth: false } },
  {
    shape: "Cursor",
    entry: { auth: { CLIENT_ID: "${env:ID}", CLIENT_SECRET: "${env:SECRET}", scopes: ["a"] } },
    oauth: { clientId: "id-1", clientSecret: "s-1", scope: "a" },
  },
  { shape: "Cursor without scopes", entry: { auth: { CLIENT_ID: "c", scopes: [] } }, oauth: { clientId: "c" } },
  {
    shape: "Codex",
    entry: { scopes: ["a"], oauth: { client_id: "c", callback_url: "http://127.0.0.1:7/callback" } },
    oauth: { clientId: "c", scope: "a", redirectUri: "http://127.0.0.1:7/callback" },
  },
  { shape: "VS Code", entry: { type: "http", oauth: { clientId: "c" } }, oauth: { clientId: "c" } },
  {
    shape: "an id that is not set",
    entry: { oauth: { clientId: "${NOWHERE}" } },
    why: /^oauth\.clientId refers to NOWHERE, which is not set\.$/u,
  },
  { shape: "an id that is no text", entry: { oauth: { clientId: 7 } }, why: /^oauth\.clientId: must be a string/u },
  {
    shape: "an issuer that is no address",
    entry: { oauth: { issuer: "us" } },
    why: /^oauth\.issuer: must be an http/u,
  },
];

test.each(blocks)("a server's client is read in the form of $shape", ({ entry, oauth, why }) => {
  const file = { mcpServers: { web: { url: "https://mcp.example.com/mcp", ...entry } } };
  const { mcp, notes } = mcpSettings({ file, environment: { ID: "id-1", SECRET: "s-1" } });
  expect(notes).toEqual([]);
  if (why !== undefined)
    return expect(mcp.idle).toEqual([{ name: "web", why: expect.stringMatching(why), isMistake: true }]);
  const { web } = mcp.servers;
  return expect(web !== undefined && "url" in web ? web.oauth : null).toEqual(oauth);
});
