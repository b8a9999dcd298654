import { expect, test } from "vitest";
import { isForbiddenAddress, literalAddress } from "../../../src/tools/network/addresses.ts";

const forbidden = [
  ["this host", "0.0.0.0"],
  ["private, class A", "10.255.255.255"],
  ["private, class B, its ends", "172.16.0.0"],
  ["private, class B, its ends", "172.31.255.255"],
  ["private, class C", "192.168.1.1"],
  ["CGNAT, its ends", "100.64.0.0"],
  ["CGNAT, its ends", "100.127.255.255"],
  ["Alibaba's metadata", "100.100.100.200"],
  ["loopback", "127.0.0.1"],
  ["loopback, far end", "127.255.255.254"],
  ["link-local", "169.254.0.1"],
  ["metadata of most clouds", "169.254.169.254"],
  ["metadata of ECS tasks", "169.254.170.2"],
  ["Oracle's metadata", "192.0.0.192"],
  ["Azure's host agent", "168.63.129.16"],
  ["services of Google's Kubernetes clusters", "34.118.239.255"],
  ["documentation", "192.0.2.1"],
  ["documentation", "198.51.100.1"],
  ["documentation", "203.0.113.1"],
  ["benchmarks", "198.19.255.255"],
  ["6to4 relay", "192.88.99.1"],
  ["multicast", "224.0.0.1"],
  ["multicast, far end", "239.255.255.255"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["unspecified", "::"],
  ["loopback", "::1"],
  ["mapped loopback", "::ffff:127.0.0.1"],
  ["mapped public address", "::ffff:8.8.8.8"],
  ["compatible loopback", "::127.0.0.1"],
  ["translated (SIIT)", "::ffff:0:127.0.0.1"],
  ["NAT64", "64:ff9b::7f00:1"],
  ["NAT64 of a public address", "64:ff9b::808:808"],
  ["local NAT64", "64:ff9b:1::1"],
  ["discard", "100::1"],
  ["Teredo", "2001:0:7f00:1::"],
  ["ORCHID", "2001:20::1"],
  ["documentation", "2001:db8::1"],
  ["6to4 of loopback", "2002:7f00:1::"],
  ["documentation", "3fff::1"],
  ["segment routing", "5f00::1"],
  ["unique local", "fc00::1"],
  ["AWS's metadata", "fd00:ec2::254"],
  ["Google's metadata", "fd20:ce::254"],
  ["link-local", "fe80::1"],
  ["link-local with a zone", "fe80::1%eth0"],
  ["site-local", "fec0::1"],
  ["multicast", "ff02::1"],
  ["no address", "example.com"],
  ["nothing", ""],
] as const;

test.each(forbidden)("the address %s is forbidden: %s", (_, address) => {
  expect(isForbiddenAddress(address)).toBe(true);
});

const open = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "34.118.240.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
];
const openToo = ["128.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "223.255.255.255"];
const openV6 = ["2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001:830::200e", "2001:200::1"];

test.each([...open, ...openToo, ...openV6])("the address %s is public", (address) => {
  expect(isForbiddenAddress(address)).toBe(false);
});

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["[::1]", "::1"],
  ["localhost", "127.0.0.1"],
  ["x.localhost", "127.0.0.1"],
  ["notlocalhost", null],
  ["localhost.example", null],
])("the host name %s stands for the literal address %s", (hostname, address) => {
  expect(literalAddress(hostname)).toBe(address);
});
