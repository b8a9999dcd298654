import { hash } from "node:crypto";
import { readFileSync, truncateSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { secretKind } from "../../src/tools/secrets/secret-files.ts";
import { secretRule } from "../../src/tools/secrets/secret-rule.ts";
import { play } from "../support/trust/play.ts";
import { attach, bash, grep, read, write } from "../support/trust/steps.ts";
import { fileSession, text, useSandbox } from "./file-session.ts";

const KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789abcdef\n-----END RSA PRIVATE KEY-----\n";

/** Parts of invalid secrets that have the form of valid ones. */
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const HEX = "0123456789abcdef".repeat(4);
const TOKENS = [
  `sk-ant-api03-${LETTERS}`,
  `sk-proj-${LETTERS}`,
  `gldt-${LETTERS}`,
  `hf_${LETTERS}`,
  `dop_v1_${HEX}`,
  `dckr_pat_${LETTERS}`,
  `hvs.${LETTERS}`,
  `xoxe-1-${LETTERS}${LETTERS}`,
  `SG.${LETTERS}.${LETTERS}`,
  `MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.${LETTERS}`,
  `110201543:AA${LETTERS}`,
  `https://hooks.slack.com/services/T0123ABCD/B0123ABCD/${LETTERS}`,
  `AccountKey=${LETTERS}${LETTERS}==`,
];

test.each([
  [".env", "A=1"],
  ["app/.env.production", "A=1"],
  ["prod.env", "A=1"],
  [".ssh/id_rsa", "x"],
  ["server.p12", "x"],
  [".netrc", "x"],
  [".aws/credentials", "x"],
  [".kube/config", "x"],
  ["terraform.tfstate", "{}"],
  ["config/secrets.yml", "a: b"],
  ...[
    ".dev.vars",
    ".config/gcloud/application_default_credentials.json",
    ".config/gh/hosts.yml",
    ".cargo/credentials.toml",
    ".codex/auth.json",
    "config/master.key",
    "local.settings.json",
    "login.keychain-db",
    "k8s/secret.yaml",
  ].map((file): [string, string] => [file, "x"]),
  ["notes.md", `keep this\n${KEY}`],
  ["account.json", JSON.stringify({ private_key: KEY })],
  ["a.txt", "token is ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
  ...TOKENS.map((token): [string, string] => ["src/client.ts", `const key = "${token}";`]),
  ["old.key", KEY.replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n")],
  ["wg0.conf", `[Interface]\nPrivateKey = ${LETTERS}abcdefg=\n`],
  [".yarnrc.yml", "npmAuthToken: 0123abcd-cd03-11ec"],
  ["a.txt", "# staging\nexport DB_PASSWORD='pa55word-long'\nHOST=db\n"],
  ["a.yaml", "kind: Config\nusers:\n- user:\n    token: abcdefghijklmnopqrst\n"],
  ["a.yaml", "users:\n- user:\n    client-key-data: abcdefghijklmnopqrst\nkind: Config\n"],
  [".npmrc", "//registry.npmjs.org/:_authToken=abcdef012345"],
])("%s is recognised as a secret: %j", (file, content) => {
  expect(secretKind(file, Buffer.from(content))).not.toBeNull();
});

test.each([
  [".env.example", "DB_PASSWORD=\nHOST=db\n"],
  [".env.example", "# copy this\nJWT_SECRET=supersecret-123\nAPI_KEY=your_key_number_1\n"],
  ["staging.txt", "API_KEY=your_key_number_1\n"],
  [".env", ""],
  [".env.d.ts", "declare const TOKEN: string;"],
  ["charts/app/templates/secret.yaml", "kind: Secret\ndata:\n  password: {{ .Values.password | b64enc }}\n"],
  ["README.md", "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx and sk-or-v1-invalid-key-for-testing"],
  ["links.md", "https://github.com/xai-org/xai-sdk-python/issues/142 fc-something-that-is-a-class-name-1"],
  ["logo.ts", `const image = "${"Ab0+".repeat(9)}ATBBabcdef0123456789012345";`],
  ["src/env.ts", "export const token = process.env.API_TOKEN;"],
  ["vite-env.d.ts", "/// <reference types='vite/client' />"],
  ["server.pem", "-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEA0123456789abcdef\n-----END CERTIFICATE-----\n"],
  ["key.test.ts", 'expect(text).toContain("-----BEGIN PRIVATE KEY-----");'],
  ["README.md", "Set API_TOKEN=your-token and run it."],
  ["docker-compose.yml", "environment:\n  DB_PASSWORD: ${DB_PASSWORD}\n"],
  ["defaults.txt", "API_TOKEN=changeme1\nHOST=db\n"],
  ["versions.properties", "kotlin=1.9.0\nktor=2.3.4\n"],
  [".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}"],
  ["deployment.yaml", "kind: Deployment\nspec:\n  token: abcdefghijklmnopqrstuvwxyz\n"],
])("%s is not recognised as a secret: %j", (file, content) => {
  expect(secretKind(file, Buffer.from(content))).toBeNull();
});

const sandbox = useSandbox();
const FILES = { ".env": "DB_PASSWORD=hunter2-4711\n", "notes.txt": "milk\n" };

describe("after a person's approval", () => {
  test("a secret file can be read, and afterwards also read again, used by a program and moved", async () => {
    const { cards, results } = await play(
      [
        { says: "what is in .env?", does: [read(".env")] },
        { says: "again", does: [read(".env")] },
        { says: "move it", does: [bash("cat .env; mv .env other.txt")] },
        { says: "look", does: [read("other.txt")] },
      ],
      { files: FILES },
      sandbox,
    );
    expect(cards.map((each) => each.length)).toEqual([1, 0, 1, 0]);
    expect(cards[0]?.[0]).toMatch(/Read a file that looks like a secret\?[^]*\.env looks like a file of environment/u);
    expect(results.filter((result) => result.includes("hunter2-4711"))).toHaveLength(4);
  });

  test("a secret file can be searched and sent", async () => {
    const { cards, results } = await play(
      [
        {
          says: "find it",
          does: [{ ...grep("PASS"), input: { pattern: "PASS", path: ".env", output_mode: "content" } }],
        },
      ],
      { files: FILES },
      sandbox,
    );
    expect(cards[0]).toHaveLength(1);
    expect(results.join()).toContain("hunter2-4711");
    const sent = await play([{ says: "send it", does: [attach(".env")] }], { files: FILES }, sandbox);
    expect(sent.cards[0]?.[0]).toMatch(/Send a file that looks like a secret\?[^]*everyone who reads the thread/u);
    expect(sent.results.join()).toContain("was sent to the thread");
  });
});

test("detection of secrets takes bounded time for thousands of files made to be slow", {
  timeout: 60_000,
}, () => {
  const content = Buffer.from("kind:\nConfig\n\n\n".repeat(4_000));
  for (let file = 0; file < 1_000; file++) expect(secretKind(`${file}.yaml`, content)).toBeNull();
});

test("the session may read its own secret files without approval", async () => {
  const { cards } = await play(
    [
      {
        says: "make it",
        does: [write("new.env", "DB_PASSWORD=s3cret-made-up\n"), read("new.env"), bash("cat new.env")],
      },
    ],
    { mode: "agi" },
    sandbox,
  );
  expect(cards[0]).toEqual([]);
});

test.each([
  { size: 67_108_864, asks: false },
  { size: 67_108_865, asks: true },
])("a known file of $size bytes is hashed up to a limit, above which it asks: $asks", ({ size, asks }) => {
  const session = fileSession(sandbox);
  session.put("dump.sql", `aws_secret_access_key = ${LETTERS}\n`);
  const file = path.join(session.root, "dump.sql");
  truncateSync(file, size);
  const knownFiles = new Map([["dump.sql", hash("sha256", readFileSync(file))]]);
  expect(secretRule("dump.sql", { ...session.context, mode: "write", knownFiles }) !== null).toBe(asks);
});

test("a search omits secret files and states their number", async () => {
  const session = fileSession(sandbox);
  for (const [file, content] of Object.entries({ ...FILES, "key.txt": KEY })) session.put(file, content);
  const result = text(await session.run("grep", { pattern: "a|i|M", output_mode: "content" }));
  expect(result).toContain("milk");
  expect(result).not.toContain("MIIE");
  expect(result).toMatch(/look like secrets: 1/u);
});

test("a program is told how to get access to a secret file", async () => {
  const session = fileSession(sandbox);
  session.put(".env", FILES[".env"]);
  expect(text(await session.run("bash", { command: "cat .env" }))).toMatch(
    /looks like a file of environment variables/u,
  );
});
