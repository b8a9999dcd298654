import { expect, test } from "vitest";
import { type Intent, intentOf } from "../../../../src/core/providers/demo/intent.ts";

function change(key: string, value: string, rest: { path?: string; from?: string } = {}): Intent {
  return { type: "change", key, value, path: "config.toml", from: null, ...rest };
}

const understood: readonly { words: string; intent: Intent }[] = [
  { words: "change port to 9090 in config.toml", intent: change("port", "9090") },
  { words: "@Deckhand change port to 9090 in config.toml", intent: change("port", "9090") },
  { words: "<@U123> Please change the port to 9090 in `config.toml`.", intent: change("port", "9090") },
  {
    words: "could you set server.port = 9090 in the file src/app.yaml?",
    intent: change("server.port", "9090", { path: "src/app.yaml" }),
  },
  { words: "set DEBUG=true in .env", intent: change("DEBUG", "true", { path: ".env" }) },
  {
    words: "change port from 8080 to 9090 in config.toml",
    intent: change("port", "9090", { path: "config.toml", from: "8080" }),
  },
  {
    words: 'update name to "Deck hand" in package.json',
    intent: change("name", "Deck hand", { path: "package.json" }),
  },
  { words: "in config.toml set port to 9090", intent: change("port", "9090") },
  { words: "list files", intent: { type: "list", pattern: "**/*" } },
  { words: "[The scheduled job “Files”, due now.]\n\nlist files", intent: { type: "list", pattern: "**/*" } },
  { words: "ls", intent: { type: "list", pattern: "**/*" } },
  { words: "What files are there?", intent: { type: "list", pattern: "**/*" } },
  { words: "list the files in src", intent: { type: "list", pattern: "src/**/*" } },
  { words: "show config.toml", intent: { type: "read", path: "config.toml" } },
  { words: "read the file src/main.ts", intent: { type: "read", path: "src/main.ts" } },
  { words: "what's in notes.txt?", intent: { type: "read", path: "notes.txt" } },
  { words: "show Übersicht/résumé", intent: { type: "read", path: "Übersicht/résumé" } },
  { words: "change port to 9090 in 設定.toml", intent: change("port", "9090", { path: "設定.toml" }) },
  { words: "cat Makefile", intent: { type: "read", path: "Makefile" } },
  { words: "search for TODO", intent: { type: "search", pattern: "TODO", glob: null } },
  { words: 'grep "max turns" in *.ts', intent: { type: "search", pattern: "max turns", glob: "*.ts" } },
  { words: "where is runQuery?", intent: { type: "search", pattern: "runQuery", glob: null } },
  { words: "create notes.txt with hello", intent: { type: "create", path: "notes.txt", content: "hello" } },
  {
    words: 'create a file called a/b.md containing "one\ntwo"',
    intent: { type: "create", path: "a/b.md", content: "one\ntwo" },
  },
  { words: "run: [1,2,3].map(x=>x*x)", intent: { type: "run", code: "[1,2,3].map(x=>x*x)" } },
  { words: "run `1 + 1`", intent: { type: "run", code: "1 + 1" } },
  { words: "run this:\n```js\nlet a = 1;\na + 1\n```", intent: { type: "run", code: "let a = 1;\na + 1" } },
  { words: "hello", intent: { type: "greet" } },
  { words: "help", intent: { type: "greet" } },
  { words: "What can you do?", intent: { type: "greet" } },
];
test.each(understood)("“$words” is understood", ({ words, intent }) => {
  expect(intentOf(words)).toEqual(intent);
});

test.each(["write me a poem", "deploy to production", "[Sat 2026-11-21 09:00 UTC]", "why?", ""])(
  "“%s” is not",
  (words) => {
    expect(intentOf(words)).toBeNull();
  },
);
