import { expect, test } from "vitest";
import { addressesIn } from "../../../src/core/trust/addresses.ts";
import { type FreeData, freeData, type OutgoingData, type Sink } from "../../../src/core/trust/egress.ts";
import { type Holding, type Label, outsideOf } from "../../../src/core/trust/label.ts";

const WEB = outsideOf("docs.test");
const carries = (...holds: Holding[]): Label => ({ who: ["slack:U1", WEB], holds });
const get = (address: string): OutgoingData => ({ to: new URL(address).host, says: address, address });

const SERVER = "MCP server docs";
const values = (...all: string[]): OutgoingData => ({
  to: "docs",
  says: JSON.stringify(all),
  values: all,
  namedBy: SERVER,
});

interface Facts {
  /** Words in data that came from the server. */
  readonly named?: readonly string[];
  readonly label?: Label;
  readonly texts?: readonly string[];
  readonly sources?: readonly string[];
  readonly sinks?: readonly Sink[];
}

function free(
  sending: OutgoingData,
  { label = carries("files"), texts = [], sources = ["docs.test"], sinks = [], named = [] }: Facts,
): FreeData | null {
  return freeData([sending], {
    label,
    sources,
    sinks,
    known: () => ({
      addresses: texts.flatMap(addressesIn),
      texts,
      namedBy: (origin) => new Set(origin === SERVER ? named : []),
    }),
  });
}

test.each<[string, string, Facts, string | null]>([
  ["the front page of a listed host", "http://docs.test/", {}, null],
  ["a path there", "http://docs.test/a", {}, "/a"],
  ["a query there", "http://docs.test/?d=1", {}, "/?d=1"],
  ["what a person wrote", "http://docs.test/a?b=1", { texts: ["see http://docs.test/a?b=1."] }, null],
  ["what a person wrote without the scheme", "https://docs.test/a", { texts: ["see docs.test/a"] }, null],
  ["what a person wrote in brackets", "http://docs.test/a", { texts: ["(http://docs.test/a)"] }, null],
  ["more than a person wrote", "http://docs.test/a/b", { texts: ["see http://docs.test/a"] }, "/a/b"],
  ["a query behind what a person wrote", "http://docs.test/a?d=1", { texts: ["see http://docs.test/a"] }, "/a?d=1"],
  ["a folder above what is known", "http://docs.test/a/", { texts: ["http://docs.test/a/b"] }, null],
  ["half a name of what is known", "http://docs.test/ab", { texts: ["http://docs.test/abc"] }, "/ab"],
  ["another host", "http://evil.test/", {}, "http://evil.test/"],
  ["a name beneath a wildcard", "http://secret.docs.test/", { sources: ["*.docs.test"] }, "http://secret.docs.test/"],
  ["any host, where all are listed", "http://secret.evil.test/", { sources: ["*"] }, "http://secret.evil.test/"],
  [
    "a name beneath a wildcard that is known",
    "http://a.docs.test/",
    { sources: ["*"], texts: ["http://a.docs.test/x"] },
    null,
  ],
  ["the whole of a source with a path", "http://docs.test/feed", { sources: ["docs.test/feed"] }, null],
  ["nothing from outside", "http://docs.test/?d=1", { label: { who: ["slack:U1"], holds: ["files"] } }, null],
  ["nothing but what is public", "http://docs.test/?d=1", { label: carries("public") }, null],
  ["what was said here", "http://docs.test/?d=1", { label: carries("channel") }, "/?d=1"],
  ["to a sink for files", "http://docs.test/?d=1", { sinks: [{ host: "docs.test", send: "files" }] }, null],
  [
    "to a sink for what was said",
    "http://docs.test/?d=1",
    { sinks: [{ host: "docs.test", send: "channel" }] },
    "/?d=1",
  ],
  [
    "what was said, to a sink for it",
    "http://docs.test/?d=1",
    { label: carries("channel"), sinks: [{ host: "docs.test", send: "channel" }] },
    null,
  ],
  [
    "secrets, to a sink for files",
    "http://docs.test/?d=1",
    { label: carries("secrets"), sinks: [{ host: "docs.test", send: "files" }] },
    "/?d=1",
  ],
  [
    "to a host beside a sink",
    "http://b.docs.test/?d=1",
    { sinks: [{ host: "docs.test", send: "files" }] },
    "http://b.docs.test/?d=1",
  ],
  ["to another port of a sink", "http://docs.test:81/?d=1", { sinks: [{ host: "docs.test", send: "files" }] }, "/?d=1"],
])("%s: %s", (...[, address, facts, says]) => {
  expect(free(get(address), facts)?.says ?? null).toBe(says);
});

test.each<[string, OutgoingData, Facts, string | null]>([
  ["words that no person wrote", { to: "search", says: "the secret" }, {}, "the secret"],
  ["words of a person", { to: "search", says: "limits of the api" }, { texts: ["search: limits of the api!"] }, null],
  [
    "what was said, where that may go",
    { to: "search", says: "x", upTo: "channel" },
    { label: carries("channel") },
    null,
  ],
  ["files, where what was said may go", { to: "search", says: "x", upTo: "channel" }, {}, "x"],
  ["files, where files may go", { to: "server", says: "x", upTo: "files" }, {}, null],
  ["a letter of a person's word", { to: "search", says: "h" }, { texts: ["the hunt"] }, "h"],
  ["a part of a person's word", { to: "search", says: "unt" }, { texts: ["the hunt, and haunted"] }, "unt"],
  ["values that people wrote", values("docs", "pto policy"), { texts: ["pto policy?", "look in docs"] }, null],
  ["values that were named there", values("page-1", "docs"), { named: ["page-1", "docs"] }, null],
  ["a value that nobody named", values("page-1", "x"), { named: ["page-1", "docs"] }, '["page-1","x"]'],
  [
    "many values that were named",
    values("h", "u", "n", "t", "s"),
    { named: Array.from("abcdefghijklmnopqrstuvwxyz") },
    '["h","u","n","t","s"]',
  ],
  ["values that others named", { ...values("page-1"), namedBy: "other" }, { named: ["page-1"] }, '["page-1"]'],
])("%s", (...[, sending, facts, says]) => {
  expect(free(sending, facts)?.says ?? null).toBe(says);
});
