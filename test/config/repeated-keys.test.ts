import { expect, test } from "vitest";
import { repeatedKeys } from "../../src/config/repeated-keys.ts";

test.each<[string, { path: string; line: number }[]]>([
  ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}', []],
  ['{"a":"a","b":["a","a"],"c":"{\\"a\\":1,\\"a\\":2}"}', []],
  [
    '{"a":1,"a":1,"a":1}',
    [
      { path: "a", line: 1 },
      { path: "a", line: 1 },
    ],
  ],
  ['{"a":{"b":[true,\n{"c":[],\n"c" : {} }]}}', [{ path: "a.b[1].c", line: 3 }]],
  ['{"a":{},"d":{"e":-1.5e3},"\\u0061":null}', [{ path: "a", line: 1 }]],
  ['{"a\\\\":1,"a\\\\":"\\\\"}', [{ path: "a\\", line: 1 }]],
  ['{"//":"one","//":"two","//off":{"a":1,"a":2}}', []],
  ['"text"', []],
  ["[]", []],
])("in %s, %j stands twice", (text, repeated) => {
  JSON.parse(text);
  expect(repeatedKeys(text)).toEqual(repeated);
});
