import { BlockList, isIP } from "node:net";

/** True for an address to which no tool may connect. */
export type IsForbiddenAddress = (address: string) => boolean;

/** Source: IANA IPv4 Special-Purpose Address Registry, IPv4 Multicast Address Space. */
const NOT_PUBLIC_V4 = [
  "0.0.0.0/8", // this host, this network
  "10.0.0.0/8", // private use
  "100.64.0.0/10", // shared by carriers (CGNAT); Alibaba's metadata
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local; most clouds' metadata
  "172.16.0.0/12", // private use
  "192.0.0.0/24", // protocol assignments; Oracle's metadata
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private use
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved; broadcast
  "34.118.224.0/20", // services of Google's Kubernetes clusters. Source: GKE docs, Service IPv4 address range
  "168.63.129.16/32", // Azure's host agent. Source: Microsoft Learn, What is IP address 168.63.129.16?
];

/** The public part of IPv6. Mapped (::ffff:0:0/96), NAT64 and local addresses lie outside it. */
const PUBLIC_V6 = ["2000::/3"];

/** Source: IANA IPv6 Special-Purpose Address Registry. Each range could lead to an IPv4 address or nowhere. */
const NOT_PUBLIC_V6 = [
  "2001::/23", // protocol assignments: Teredo, ORCHID
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "3fff::/20", // documentation
];

function networks(cidrs: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = "", bits] = cidr.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const notPublicV4 = networks(NOT_PUBLIC_V4, "ipv4");
const publicV6 = networks(PUBLIC_V6, "ipv6");
const notPublicV6 = networks(NOT_PUBLIC_V6, "ipv6");

/**
 * True unless the text is a public unicast address: private, local, reserved and translated addresses are forbidden.
 */
export function isForbiddenAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return notPublicV4.check(address, "ipv4");
    case 6:
      // Only local addresses have a zone (`fe80::1%eth0`).
      return address.includes("%") || !publicV6.check(address, "ipv6") || notPublicV6.check(address, "ipv6");
    default:
      return true;
  }
}

/** The address that a host name denotes without DNS: a literal, or `localhost` (RFC 6761). Null for other names. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, "");
  if (isIP(bare) !== 0) return bare;
  return /(^|\.)localhost$/i.test(hostname) ? "127.0.0.1" : null;
}
