import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { ToolResult } from "../../../src/core/protocol/tool-result.ts";
import { text, useSandbox } from "../file-session.ts";
import { fetchSession, PUBLIC, startSite } from "./fetch-session.ts";

const sandbox = useSandbox();

const MB = 1_048_576;

/** A server that writes raw bytes instead of HTTP; `closed` resolves once a client has gone. */
async function startBytes(
  speak: (socket: Socket) => void,
): Promise<{ port: number; url: string; closed: Promise<unknown> }> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // the client may reset the connection
    socket.once("close", () => resolve());
    socket.once("data", () => speak(socket));
  });
  server.listen(0, PUBLIC);
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { port: address.port, url: `http://page.example:${address.port}/`, closed };
}

/** Writes as long as the connection is open. */
function writeForever(socket: Socket, chunk: string | Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}

/** Writes the chunk every 5 ms as long as the connection is open. */
function drip(socket: Socket, chunk: string): void {
  const timer = setInterval(() => socket.write(chunk), 5);
  socket.once("close", () => clearInterval(timer));
}

test("an endless text is cut at the byte limit, and its connection closed", async () => {
  const server = await startBytes((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
    writeForever(socket, "line\n".repeat(1_000));
  });
  const result = await fetchSession(sandbox, { sites: [server], limits: { bodyBytes: 20_000 } }).fetch(server.url);
  await server.closed;
  expect(result.isError).toBe(false);
  expect(text(result)).toContain("longer than the limit");
  expect(text(result).length).toBeLessThan(21_000);
});

/** Empty blocks of a gzip stream, which decompress to nothing however many there are. */
const EMPTY_BLOCKS = Buffer.from("000000ffff".repeat(5_000), "hex");

const wasteful = [
  {
    name: "compresses nothing without end",
    speak: (socket: Socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
      socket.write(gzipSync("").subarray(0, 10));
      writeForever(socket, EMPTY_BLOCKS);
    },
  },
  {
    name: "wraps each byte in thousands",
    speak: (socket: Socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n");
      writeForever(socket, `1;${"x".repeat(8_000)}\r\na\r\n`);
    },
  },
];

test.each(wasteful)("a server that $name is aborted at the limit of bytes on the wire", async ({ speak }) => {
  let received = 0;
  const server = await startBytes((socket) => {
    socket.once("close", () => {
      received = socket.bytesWritten;
    });
    speak(socket);
  });
  const result = await fetchSession(sandbox, { sites: [server], limits: { bodyBytes: 20_000 } }).fetch(server.url);
  await server.closed;
  expect(text(result)).toMatch(/longer than the limit|\(no body\)/);
  expect(received).toBeLessThan(20 * MB);
});

const ZEROS = Buffer.alloc(48 * MB, "0");
/** Compressing as quickly as possible takes a tenth of the time, and these bytes become as few. */
const bombs = [
  { encoding: "gzip", bytes: gzipSync(ZEROS, { level: 1 }) },
  { encoding: "deflate", bytes: deflateSync(ZEROS, { level: 1 }) },
  { encoding: "br", bytes: brotliCompressSync(ZEROS, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }) },
  { encoding: "zstd", bytes: zstdCompressSync(ZEROS) },
  { encoding: "gzip, gzip", bytes: gzipSync(gzipSync(ZEROS, { level: 1 })) },
];

test.each(bombs)("a compression bomb of 48 MB in $encoding is cut after decompression", async ({ encoding, bytes }) => {
  expect(bytes.length).toBeLessThan(MB);
  const site = await startSite((_, response) => {
    response.setHeader("content-type", "text/plain").setHeader("content-encoding", encoding).end(bytes);
  });
  const before = process.memoryUsage().arrayBuffers;
  const session = fetchSession(sandbox, { sites: [site], limits: { bodyBytes: 2 * MB } });
  const result = await session.fetch(site.at("page.example"));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30 * MB);
  expect(text(result)).toContain(`of ${2 * MB}`);
  expect(text(result)).toContain("longer than the limit");
});

const encodings = [
  { encoding: "gzip, gzip, gzip, gzip", body: gzipSync("x"), says: "too many times" },
  { encoding: "compress", body: Buffer.from("x"), says: "encoded as compress" },
  { encoding: "gzip", body: Buffer.from("no gzip"), says: "does not match the encoding that it names" },
  { encoding: "br", body: Buffer.from("no brotli"), says: "does not match the encoding that it names" },
  { encoding: "zstd", body: Buffer.from("no zstd"), says: "does not match the encoding that it names" },
];

test.each(encodings)("an unreadable body in $encoding is reported: $says", async ({ encoding, body, says }) => {
  const site = await startSite((_, response) => response.setHeader("content-encoding", encoding).end(body));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(result.isError).toBe(true);
  expect(text(result)).toContain(says);
});

const slow: { name: string; speak: (socket: Socket) => void }[] = [
  { name: "never answers", speak: () => {} },
  {
    name: "sends its head a header at a time",
    speak: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      drip(socket, "X-Slow: 1\r\n");
    },
  },
  { name: "sends nothing but early hints", speak: (socket) => drip(socket, "HTTP/1.1 103 Early Hints\r\n\r\n") },
];

test.each(slow)("a server that $name times out", async ({ speak }) => {
  const server = await startBytes(speak);
  const session = fetchSession(sandbox, { sites: [server], limits: { headMs: 500 } });
  const result = await session.fetch(server.url);
  await server.closed;
  expect(result.isError).toBe(true);
  expect(text(result)).toContain("did not answer in time");
});

test("connecting to a server times out", async () => {
  const server = await startBytes(() => {});
  const hangs = (): Promise<never> => new Promise(() => {});
  const session = fetchSession(sandbox, { sites: [server], limits: { headMs: 500 }, resolve: hangs });
  expect(text(await session.fetch(server.url))).toContain("did not answer in time");
});

const broken: { name: string; speak: (socket: Socket) => void; says: string }[] = [
  {
    name: "sends a head without end",
    speak: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      writeForever(socket, `X-Long: ${"x".repeat(1_000)}\r\n`);
    },
    says: "response is not valid HTTP",
  },
  {
    name: "sends early hints without end",
    speak: (socket) => writeForever(socket, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(500)),
    says: "response is not valid HTTP",
  },
  {
    name: "speaks another protocol",
    speak: (socket) => socket.end("220 mail.example ESMTP\r\n"),
    says: "response is not valid HTTP",
  },
  { name: "hangs up", speak: (socket) => socket.end(), says: "response is not valid HTTP" },
  {
    name: "changes the protocol",
    speak: (socket) => socket.write("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    says: "protocol other than HTTP",
  },
  {
    name: "promises more than it sends",
    speak: (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
    says: "connection broke",
  },
];

test.each(broken)("a server that $name gives an error", async ({ speak, says }) => {
  const server = await startBytes(speak);
  const result = await fetchSession(sandbox, { sites: [server] }).fetch(server.url);
  await server.closed;
  expect(result.isError).toBe(true);
  expect(text(result)).toContain(says);
});

test("a text that does not end in time is returned as far as it arrived", async () => {
  const server = await startBytes((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    drip(socket, "data: tick\n\n");
  });
  const result = await fetchSession(sandbox, { sites: [server], limits: { totalMs: 800 } }).fetch(server.url);
  await server.closed;
  expect(result.isError).toBe(false);
  expect(text(result)).toContain("data: tick");
  expect(text(result)).toContain("still sending when the time limit was reached");
});

test("an image that is larger than the limit is an error", async () => {
  const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(5_000)]);
  const site = await startSite((_, response) => response.end(png));
  const session = fetchSession(sandbox, { sites: [site], limits: { bodyBytes: 4_000 } });
  const result = await session.fetch(site.at("page.example"));
  expect(result.isError).toBe(true);
  expect(text(result)).toContain("too large");
});

test("an endless redirect is aborted", async () => {
  const site = await startSite(({ url }, response) => response.writeHead(302, { location: `${url}x` }).end());
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(text(result)).toContain("redirects more than 5 times");
  expect(site.requests).toHaveLength(6);
});

test("the time limit includes redirects", async () => {
  const site = await startSite(({ url }, response) => {
    if (url === "/") response.writeHead(302, { location: "/slow" }).end();
  });
  const session = fetchSession(sandbox, { sites: [site], limits: { totalMs: 1_000 } });
  expect(text(await session.fetch(site.at("page.example")))).toContain("did not answer in time");
  expect(site.requests.map(({ url }) => url)).toEqual(["/", "/slow"]);
});

const stages: { name: string; speak: (socket: Socket) => void; named: boolean }[] = [
  { name: "the name is looked up", speak: () => {}, named: false },
  { name: "the head is waited for", speak: () => {}, named: true },
  {
    name: "the body comes in",
    speak: (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"),
    named: true,
  },
];

test.each(stages)("a stop while $name ends the call at once", async ({ speak, named }) => {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const server = await startBytes((socket) => {
    speak(socket);
    resolve();
  });
  const lookUp = (): Promise<string[]> => {
    if (named) return Promise.resolve([PUBLIC]);
    resolve();
    return new Promise(() => {});
  };
  const stop = new AbortController();
  const fetched: Promise<ToolResult> = fetchSession(sandbox, { sites: [server], resolve: lookUp }).fetch(server.url, {
    signal: stop.signal,
  });
  await reached;
  const stoppedAt = performance.now();
  stop.abort(new Error("stopped by a person"));
  await expect(fetched).rejects.toThrow("stopped by a person");
  expect(performance.now() - stoppedAt).toBeLessThan(5_000);
  if (named) await server.closed;
});

test("an aborted call sends no request", async () => {
  const site = await startSite((_, response) => response.end("x"));
  const fetched = fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"), {
    signal: AbortSignal.abort(new Error("stopped by a person")),
  });
  await expect(fetched).rejects.toThrow("stopped by a person");
  expect(site.requests).toEqual([]);
});
