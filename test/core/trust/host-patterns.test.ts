import { expect, test } from "vitest";
import { blockOf, isAllowedHost, parseHostPattern } from "../../../src/core/trust/host-patterns.ts";
import { parseTarget } from "../../../src/tools/network/target.ts";
import { growthOf, TOLERATED_GROWTH } from "../../support/program/growth.ts";

const allowed = [
  { pattern: "example.com", url: "https://example.com/", holds: true },
  { pattern: "example.com", url: "http://example.com/", holds: true },
  { pattern: "EXAMPLE.com", url: "https://Example.COM/x", holds: true },
  { pattern: "example.com", url: "https://example.com./", holds: true },
  { pattern: "example.com", url: "https://www.example.com/", holds: false },
  { pattern: "example.com", url: "https://example.com.evil.test/", holds: false },
  { pattern: "example.com", url: "https://notexample.com/", holds: false },
  { pattern: "example.com", url: "https://example.com:8443/", holds: false },
  { pattern: "example.com:8443", url: "https://example.com:8443/", holds: true },
  { pattern: "example.com:8443", url: "https://example.com/", holds: false },
  { pattern: "example.com:443", url: "https://example.com/", holds: true },
  { pattern: "example.com:80", url: "http://example.com/", holds: true },
  { pattern: "example.com:80", url: "https://example.com/", holds: false },
  { pattern: "*.example.com", url: "https://a.b.example.com/", holds: true },
  { pattern: "*.example.com", url: "https://example.com/", holds: false },
  { pattern: "*.example.com", url: "https://badexample.com/", holds: false },
  { pattern: "*", url: "https://anything.test/", holds: true },
  { pattern: "*", url: "https://anything.test:22/", holds: false },
  { pattern: "*:8080", url: "http://anything.test:8080/", holds: true },
  { pattern: "münchen.example", url: "https://xn--mnchen-3ya.example/", holds: true },
  { pattern: "[2606:4700::1]", url: "https://[2606:4700:0::1]/", holds: true },
  { pattern: "[2606:4700::1]:8443", url: "https://[2606:4700::1]:8443/", holds: true },
  { pattern: "example.com/docs", url: "https://example.com/docs", holds: true },
  { pattern: "example.com/docs", url: "https://example.com/docs/a?b=1", holds: true },
  { pattern: "example.com/docs/", url: "https://example.com/docs/a", holds: true },
  { pattern: "example.com/docs", url: "https://example.com/docs?b=1", holds: true },
  { pattern: "example.com/docs", url: "https://example.com/documents", holds: false },
  { pattern: "example.com/docs", url: "https://example.com/", holds: false },
  { pattern: "example.com/docs", url: "https://example.com/docs/../admin", holds: false },
  { pattern: "example.com/docs", url: "https://example.com/docs/%2e%2e/admin", holds: false },
  { pattern: "example.com/docs", url: "https://example.com/docs/..%2fadmin", holds: false },
  { pattern: "example.com/docs", url: "https://example.com/docs/%252e%252e%252fadmin", holds: false },
  { pattern: "example.com/docs", url: "https://www.example.com/docs", holds: false },
  { pattern: "exam*ple.com", url: "https://example.com/", holds: false },
  { pattern: "", url: "https://example.com/", holds: false },
];

test.each(allowed)("allowedHosts $pattern matches $url: $holds", ({ pattern, url, holds }) => {
  expect(isAllowedHost(parseTarget(url), [pattern])).toBe(holds);
});

const blocked = [
  { entry: "https://example.com/admin", url: "https://example.com/admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/admin/users?x=1", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/administrator", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/", holds: false },
  { entry: "https://example.com/admin", url: "https://www.example.com/admin", holds: false },
  { entry: "https://example.com/admin", url: "http://example.com/admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com:8443/admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com./admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%61dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/ADMIN", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com//admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x/../admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x/%2e%2e/admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com\\admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%2fadmin", holds: true },
  { entry: "https://example.com/a/b", url: "https://example.com/a;v=1/b", holds: true },
  { entry: "https://example.com/%61dmin", url: "https://example.com/admin", holds: true },
  { entry: "https://example.com/a?b=1", url: "https://example.com/a?b=1&c=2", holds: true },
  { entry: "https://example.com/a?b=1", url: "https://example.com/a?b=2", holds: false },
  { entry: "https://example.com:8443/", url: "https://example.com/", holds: false },
  { entry: "example.com", url: "https://example.com/anything", holds: true },
  { entry: "*.example.com/private", url: "https://a.example.com/private", holds: true },
  { entry: "*/.git", url: "https://any.test/.git/config", holds: true },
  { entry: "https://example.com//admin", url: "https://example.com/admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x%2f..%2fadmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x%2F%2e%2e%2Fadmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x%5c..%5cadmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x%252f..%252fadmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/.%2fadmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x%3bv/..%2fadmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/admin%2f..%2fx", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x%2f..%2fother", holds: false },
  { entry: "https://example.com/admin", url: "https://example.com/?next=/../admin", holds: false },
  { entry: "https://example.com/admin", url: "https://example.com/x%2525252f..%2525252fadmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%2525252561dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%2%35%36%31dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%00admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%09admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/ad%0amin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x/.%00./admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x/..%c0%afadmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x/%c0%ae%c0%ae/admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x/%e0%80%ae%f0%80%80%ae/admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%25c1%25a1dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%ef%bd%81dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x%2f..%2fadmin%252f..%252fother", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%u0061dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%25u0061dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%uff41dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%20admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/x/%20../admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%c2%a0admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/adm%c4%b1n", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/ADM%C4%B0N", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%ef%bc%8561dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/ad%c2%admin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/adm%e2%80%8bin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%f0%9d%96%8ddmin", holds: false },
  { entry: "https://example.com/admin", url: "https://example.com/%f0%9d%92%b6dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/%u00e4dmin", holds: false },
  { entry: "https://example.com/a/b", url: "https://example.com/a./b", holds: true },
  { entry: "https://example.com/a/b", url: "https://example.com/a%20/b", holds: true },
  { entry: "https://example.com/setup", url: "https://example.com/%C5%BFetup", holds: true },
  { entry: "https://example.com/straße", url: "https://example.com/STRASSE", holds: true },
  { entry: "https://example.com/", url: "https://ｅxample.com/", holds: true },
  { entry: "https://example.com/a%20b", url: "https://example.com/a%2520b", holds: true },
  { entry: "https://example.com/a?b=admin", url: "https://example.com/a?b=%u0061dmin", holds: true },
  { entry: "https://example.com/admin", url: "https://example.com/100%25%20sure", holds: false },
  { entry: "https://example.com/admin", url: "https://example.com/%c3%a4dmin", holds: false },
  { entry: "https://example.com/ü", url: "https://example.com/%C3%9C", holds: true },
  { entry: "1.2.3.4/admin", url: "https://[::ffff:1.2.3.4]/admin", holds: true },
  { entry: "[::ffff:1.2.3.4]", url: "https://1.2.3.4/", holds: true },
  { entry: "1.2.3.4", url: "https://[::ffff:1.2.3.5]/", holds: false },
];

test.each(blocked)("blockedUrls $entry matches $url: $holds", ({ entry, url, holds }) => {
  expect(blockOf(parseTarget(url), [entry])).toBe(holds ? entry : null);
});

test("matching repeatedly encoded spaces takes time linear in the path's length", () => {
  const nested = (length: number) => `https://example.com/${"%2".repeat(length / 4)}${"0".repeat(length / 4)}`;
  const work = (url: string) => blockOf(new URL(url), ["example.com/admin"]);
  expect(growthOf(work, nested)).toBeLessThan(TOLERATED_GROWTH);
});

test.each(["https://example.com", "a/b", "a b", "user@host", "2606:4700::1", "*.*.com", "*."])(
  "%s is no host pattern",
  (text) => {
    expect(parseHostPattern(text)).toBeNull();
  },
);
