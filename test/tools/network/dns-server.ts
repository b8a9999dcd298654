import { createSocket, type Socket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { isIPv4 } from "node:net";
import { onTestFinished } from "vitest";
import type { Resolve } from "../../../src/tools/network/resolve.ts";

export interface DnsServer {
  /** Resolves a name by asking this server over UDP. */
  readonly resolve: Resolve;
  /** Every question so far: `A page.example`. */
  readonly questions: readonly string[];
}

/** Successive answers for each name, each a set of addresses; the last one repeats. */
export type Zone = Readonly<Record<string, readonly (readonly string[])[]>>;

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** A DNS server on 127.0.0.1, for which names outside its zone do not exist. */
export async function startDns(zone: Zone): Promise<DnsServer> {
  const questions: string[] = [];
  const asked = new Map<string, number>();
  const socket: Socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const label = `${type === TYPE_AAAA ? "AAAA" : "A"} ${name}`;
    questions.push(label);
    const turn = asked.get(label) ?? 0;
    asked.set(label, turn + 1);
    const answers = zone[name] ?? [];
    const addresses = (answers[turn] ?? answers.at(-1) ?? []).filter((found) => isIPv4(found) === (type === TYPE_A));
    socket.send(reply(query.subarray(0, end), addresses, zone[name] !== undefined), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const resolve: Resolve = async (hostname) => {
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  };
  return { resolve, questions };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Encodes a reply: the header, the question unchanged, and a record with TTL 0 for each address. */
function reply(question: Buffer, addresses: readonly string[], known: boolean): Buffer {
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.fill(0, 8, 12);
  return Buffer.concat([header, question.subarray(12), ...addresses.map(record)]);
}

function record(address: string): Buffer {
  const data = isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // the name of the question
  head.writeUInt16BE(data.length === 4 ? TYPE_A : TYPE_AAAA, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function ipv6Bytes(address: string): Buffer {
  const [left = "", right = ""] = address.split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [head, tail] = [groups(left), groups(right)];
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
