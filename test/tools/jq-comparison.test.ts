import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "./file-session.ts";

const sandbox = useSandbox();

/** What jq 1.6 says; written down, as not every machine has it. */
const CASES: readonly (readonly [filter: string, input: string, output: string])[] = [
  ['.server.host.name = "x"', '{"server":{"port":80}}', '{"server":{"port":80,"host":{"name":"x"}}}'],
  [".a.b += 1", "{}", '{"a":{"b":1}}'],
  [".a[2].b = 1", "{}", '{"a":[null,null,{"b":1}]}'],
  [".a //= 3", "{}", '{"a":3}'],
  [".a = (1,2)", "{}", '{"a":1}\n{"a":2}'],
  [".a |= empty", '{"a":1,"b":2}', '{"b":2}'],
  [".[1:3] = [9]", "[1,2,3,4]", "[1,9,4]"],
  ["(.[]|select(.a==1)|.b) = 2", '[{"a":1},{"a":2}]', '[{"a":1,"b":2},{"a":2}]'],
  ["map(select(.a==1) |= (.b=2))", '[{"a":1},{"a":2}]', '[{"a":1,"b":2},{"a":2}]'],
  ['.. |= (if type=="number" then .+1 else . end)', "[1,[2]]", "[2,[3]]"],
  ['walk(if type=="number" then .+1 else . end)', '[1,{"a":2}]', '[2,{"a":3}]'],
  ["del(.a,.b)", '{"a":1,"b":2,"c":3}', '{"c":3}'],
  ["del(.[]|select(.>1))", "[1,2,3]", "[1]"],
  ["[path(..)]", '{"a":[1]}', '[[],["a"],["a",0]]'],
  [".a[.k]", '{"k":"z","a":{"z":3}}', "3"],
  ['[match("\\\\d+";"g").string]', '"a1b22"', '["1","22"]'],
  ['gsub("(?<c>[A-Z])";"_\\(.c|ascii_downcase)")', '"aBcD"', '"a_bc_d"'],
  ["def g(a;$b): a+$b; g(1;2)", "null", "3"],
  ["def f(g): map(g); f(.a)", '[{"a":1},{"a":2}]', "[1,2]"],
  ['"\\u00e9"', "null", '"é"'],
  ["@sh", '["a b",1]', "\"'a b' 1\""],
  ["unique", '[3,1,"b",null,1]', '[null,1,3,"b"]'],
  ["group_by(.k)", '[{"k":2},{"k":1}]', '[[{"k":1}],[{"k":2}]]'],
  ["sort", '["b","B",[1],9]', '[9,"B","b",[1]]'],
];

test.each(CASES)("jq's %s", async (filter, input, output) => {
  const session = fileSession(sandbox);
  session.put("filter", filter);
  session.put("input", input);
  const command = 'jq -c "$(cat filter)" input';
  expect(text(await session.run("bash", { command }))).toBe(`exit code 0\nstdout:\n${output}`);
});

test.each([
  [".a.b = 1", '{"a":5}'],
  ["(map(.a)) = 1", '[{"a":5}]'],
  ['.a += "x"', '{"a":5}'],
])("what cannot be assigned fails, and says so: %s", async (filter, input) => {
  const session = fileSession(sandbox);
  session.put("input", input);
  expect(text(await session.run("bash", { command: `jq -c '${filter}' input` }))).toMatch(/^exit code 5\n.*jq: /s);
});
