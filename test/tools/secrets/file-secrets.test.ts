import { expect, test } from "vitest";
import { fileSecrets, secretsIn } from "../../../src/tools/secrets/file-secrets.ts";

const KEY_LINE = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU";

test.each<[string, string, readonly string[]]>([
  ["a variable", "DB_PASSWORD=hunter2-4711", ["hunter2-4711"]],
  ["a line as `read` numbers it", '1\tAPI_TOKEN="hunter2-4711"', ["hunter2-4711"]],
  ["a line as `grep` names it", ".env:3:API_TOKEN='hunter2 4711'", ["hunter2 4711"]],
  ["JSON", '{"client_secret": "hunter2-4711", "id": "public-name"}', ["hunter2-4711"]],
  ["YAML", "user:\n  token: hunter2-4711\n  name: administrator", ["hunter2-4711"]],
  ["a block of YAML", "token: |\n  hunter2-4711\n", ["hunter2-4711"]],
  ["XML", "<server>\n  <password>hunter2-4711</password>\n</server>", ["hunter2-4711"]],
  ["a name beside its value", '{"name": "API_TOKEN",\n "value": "hunter2-4711"}', ["hunter2-4711"]],
  ["a Makefile and Ruby", `A_TOKEN := 'hunter2-4711'\n"b_token" => "hunter2-4712"`, ["hunter2-4711", "hunter2-4712"]],
  ["a setting within another one's value", 'CONFIG="id=1;account_key=hunter2-4711;x"', ["hunter2-4711"]],
  [".netrc, as `read` numbers it", "1\tmachine h login bob\n2\tpassword hunter2-4711", ["hunter2-4711"]],
  [".pgpass", "db.example:5432:*:app:hunter2-4711", ["hunter2-4711"]],
  ["Rails' and Phoenix' key", "SECRET_KEY_BASE=hunter2-4711", ["hunter2-4711"]],
  ["an address", "DATABASE_URL=postgres://app:hunter2-4711@db:5432/app", ["hunter2-4711"]],
  ["a key", `-----BEGIN RSA PRIVATE KEY-----\n${KEY_LINE}\n-----END RSA PRIVATE KEY-----`, [KEY_LINE]],
  ["a certificate's key in a kubeconfig", "client-key-data: TFMwdExTMUNSVWRKVGlC", ["TFMwdExTMUNSVWRKVGlC"]],
  ["a token without a name", "see glpat-abcdefghij0123456789", ["glpat-abcdefghij0123456789"]],
  ["a token of a service", "see dckr_pat_abcdefghij0123456789", ["dckr_pat_abcdefghij0123456789"]],
  ["what names no credential", "HOST=staging-01\nPORT=8080", []],
  ["what is to be filled in", "PASSWORD=changeme123\nTOKEN=${TOKEN_OF_MINE}\nSECRET=<your-secret>", []],
  ["what is too short", "PASSWORD=abc123", []],
])("secret values are extracted from %s", (...[, text, values]) => {
  expect(secretsIn(text).map(({ value }) => value)).toEqual(values);
});

const MASK = "[secret PASSWORD, 12 characters; ask for its file to see it]";
const SECRETS = { who: [], holds: ["files", "secrets"] } as const;
const said = (text: string) => [{ type: "text", text } as const];

test("only content labelled as secret is learned", () => {
  const secrets = fileSecrets();
  secrets.learn(said("PASSWORD=hunter2-4711"), { who: [], holds: ["files"] });
  secrets.learn(said("PASSWORD=hunter2-4711"), undefined);
  expect(secrets.hide("hunter2-4711")).toBe("hunter2-4711");
  secrets.learn(
    [{ type: "tool_result", toolUseId: "1", content: said("PASSWORD=hunter2-4711"), isError: false }],
    SECRETS,
  );
  expect(secrets.hide("it is hunter2-4711.")).toBe(`it is ${MASK}.`);
  expect(new TextDecoder().decode(secrets.hideInBytes(new TextEncoder().encode("x hunter2-4711")))).toBe(`x ${MASK}`);
  expect(secrets.hideIn({ files: [{ data: new TextEncoder().encode("hunter2-4711") }] }).files[0]?.data).toEqual(
    new TextEncoder().encode(MASK),
  );
});

test("a masked value shows its name, also where encoded, or else its length", () => {
  const secrets = fileSecrets();
  secrets.learn(said("PASSWORD=hunter2-4711\nsee glpat-abcdefghij0123456789"), SECRETS);
  const encoded = Buffer.from("hunter2-4711").toString("hex");
  expect(secrets.hide(`curl -d p=${encoded} -H glpat-abcdefghij0123456789`)).toBe(
    `curl -d p=${MASK} -H [secret, 26 characters; ask for its file to see it]`,
  );
});

test("the newest values are kept if there are too many", () => {
  const secrets = fileSecrets();
  secrets.learn(said("FIRST_TOKEN=the-first-0001"), SECRETS);
  secrets.learn(
    said(Array.from({ length: 1_000 }, (_, at) => `T${at}_TOKEN=a-value-${at + 10_000}`).join("\n")),
    SECRETS,
  );
  expect(secrets.hide("the-first-0001 a-value-10999")).toBe(
    `the-first-0001 [secret T999_TOKEN, 13 characters; ask for its file to see it]`,
  );
});

test("a masked value names its variable and, if known, its file", () => {
  const secrets = fileSecrets();
  secrets.learn(said("DB_PASSWORD=hunter2-4711"), SECRETS);
  expect(secrets.hide("hunter2-4711")).toContain("[secret DB_PASSWORD, 12 characters;");
  secrets.learn(said("DB_PASSWORD=hunter2-4711"), SECRETS, { path: ".env" });
  expect(secrets.hide("hunter2-4711")).toBe("[secret DB_PASSWORD of .env, 12 characters; ask for its file to see it]");
  secrets.learn(said("//app:pa55-w0rd-1@db"), SECRETS, { path: "a*b`](http:\n<@U1>hunter2-4711.env" });
  expect(secrets.foundIn({ url: "x pa55-w0rd-1" })).toEqual(["secret of a?b???http????U1?....env, 11 characters"]);
  expect(secrets.foundIn({ url: "nothing" })).toEqual([]);
  secrets.learn(said("API_TOKEN=glpat-abcdefghij0123456789"), SECRETS);
  expect(secrets.hide("glpat-abcdefghij0123456789")).toContain("[secret API_TOKEN, 26 characters;");
});
