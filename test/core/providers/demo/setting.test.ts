import * as fc from "fast-check";
import { expect, test } from "vitest";
import { changeSetting } from "../../../../src/core/providers/demo/setting.ts";

const files: readonly { style: string; content: string; key: string; value: string; expected: string }[] = [
  {
    style: "TOML",
    content: 'name = "app"\nport = 8080 # public\n',
    key: "port",
    value: "9090",
    expected: 'name = "app"\nport = 9090 # public\n',
  },
  {
    style: "a TOML section",
    content: "[server]\nport = 1\n[admin]\nport = 2\n",
    key: "admin.port",
    value: "3",
    expected: "[server]\nport = 1\n[admin]\nport = 3\n",
  },
  { style: "a TOML string", content: 'host = "a"\n', key: "host", value: "b", expected: 'host = "b"\n' },
  {
    style: "INI",
    content: "; port = 1\n[main]\nport=8080\n",
    key: "port",
    value: "9090",
    expected: "; port = 1\n[main]\nport=9090\n",
  },
  {
    style: ".env",
    content: "export DEBUG=false\nPORT=1\n",
    key: "DEBUG",
    value: "true",
    expected: "export DEBUG=true\nPORT=1\n",
  },
  {
    style: "YAML",
    content: "server:\n  port: 8080\n  host: x\nadmin:\n  port: 1\n",
    key: "server.port",
    value: "9090",
    expected: "server:\n  port: 9090\n  host: x\nadmin:\n  port: 1\n",
  },
  {
    style: "JSON",
    content: '{\n  "port": 8080,\n  "name": "a"\n}\n',
    key: "port",
    value: "9090",
    expected: '{\n  "port": 9090,\n  "name": "a"\n}\n',
  },
  {
    style: "nested JSON",
    content: '{\n  "a": {\n    "port": 1\n  },\n  "b": { "port": 2 }\n}\n',
    key: "b.port",
    value: "3",
    expected: '{\n  "a": {\n    "port": 1\n  },\n  "b": { "port": 3 }\n}\n',
  },
  {
    style: "JSON on one line",
    content: '{"port":8080,"name":"a"}',
    key: "name",
    value: "b",
    expected: '{"port":8080,"name":"b"}',
  },
  {
    style: "a number that becomes a word",
    content: '{\n  "port": 8080\n}\n',
    key: "port",
    value: "auto",
    expected: '{\n  "port": "auto"\n}\n',
  },
  { style: "a key in another case", content: "PORT=1\n", key: "port", value: "2", expected: "PORT=2\n" },
  {
    style: "a line that is not unique by itself",
    content: "[a]\nx = 1\n[b]\nx = 1\n",
    key: "b.x",
    value: "2",
    expected: "[a]\nx = 1\n[b]\nx = 2\n",
  },
  {
    style: "a URL",
    content: 'url: "http://a:80/x"\n',
    key: "url",
    value: "http://b:81/",
    expected: 'url: "http://b:81/"\n',
  },
];
test.each(files)("a setting in $style changes and nothing else does", ({ content, key, value, expected }) => {
  const change = changeSetting(content, { key, value, from: null });
  expect(change.type).toBe("edit");
  if (change.type !== "edit") return;
  expect(content.split(change.oldString)).toHaveLength(2);
  expect(content.replace(change.oldString, () => change.newString)).toBe(expected);
});

const others: readonly { what: string; content: string; key: string; from: string | null; expected: object }[] = [
  { what: "is missing", content: "port = 1\n", key: "host", from: null, expected: { type: "missing" } },
  { what: "is only in a comment", content: "# port = 1\n", key: "port", from: null, expected: { type: "missing" } },
  {
    what: "occurs twice",
    content: "[a]\nport = 1\n[b]\nport = 2\n",
    key: "port",
    from: null,
    expected: { type: "several", lines: [2, 4] },
  },
  {
    what: "has the value already",
    content: 'port = "9"\n',
    key: "port",
    from: null,
    expected: { type: "same", value: "9" },
  },
  {
    what: "is not what was said",
    content: "port = 1\n",
    key: "port",
    from: "2",
    expected: { type: "differs", value: "1" },
  },
];
test.each(others)("a setting that $what is not changed", ({ content, key, from, expected }) => {
  expect(changeSetting(content, { key, value: "9", from })).toEqual(expected);
});

test("whatever the file, an edit's old text occurs exactly once in it", () => {
  const line = fc.constantFrom("x = 1", "x = 2", "[a]", "[b]", "", "# x", "y: 1", "  x: 1", '{"x": 1}');
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const content = lines.join("\n");
      const change = changeSetting(content, { key: "x", value: "7", from: null });
      if (change.type === "edit") expect(content.split(change.oldString)).toHaveLength(2);
    }),
  );
});
