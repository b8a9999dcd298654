import { expect, test } from "vitest";
import { blockOf, isAllowedHost, parseHostPattern } from "../../../src/core/trust/host-patterns.ts";
import { parseTarget } from "../../../src/tools/network/target.ts";

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

test.each(allowed)("allowedHosts $pattern holds for $url: $holds", ({ pattern, url, holds }) => {
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
  { entry: "https://example.com/admin", url: "https://example.com/100%25%20sure", holds: false },
  { entry: "https://example.com/admin", url: "https://example.com/%c3%a4dmin", holds: false },
  { entry: "https://example.com/ü", url: "https://example.com/%C3%9C", holds: true },
  { entry: "1.2.3.4/admin", url: "https://[::ffff:1.2.3.4]/admin", holds: true },
  { entry: "[::ffff:1.2.3.4]", url: "https://1.2.3.4/", holds: true },
  { entry: "1.2.3.4", url: "https://[::ffff:1.2.3.5]/", holds: false },
];

test.each(blocked)("blockedUrls $entry holds for $url: $holds", ({ entry, url, holds }) => {
  expect(blockOf(parseTarget(url), [entry])).toBe(holds ? entry : null);
});

test.each(["https://example.com", "a/b", "a b", "user@host", "2606:4700::1", "*.*.com", "*."])(
  "%s is no host pattern",
  (text) => {
    expect(parseHostPattern(text)).toBeNull();
  },
);
