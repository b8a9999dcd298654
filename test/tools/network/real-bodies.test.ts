import { Buffer } from "node:buffer";
import { once } from "node:events";
import http from "node:http";
import { deflateRawSync, deflateSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { readBody } from "../../../src/tools/network/body.ts";
import { contentOf } from "../../../src/tools/network/content.ts";

const FEED = '<?xml version="1.0" encoding="ISO-8859-1"?><rss><title>Müller</title></rss>';
const UTF_8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

test.each([
  {
    name: "the charset in a feed's XML declaration is used",
    bytes: Buffer.from(FEED, "latin1"),
    type: "application/rss+xml",
  },
  {
    name: "the header's charset has priority over an XML declaration",
    bytes: Buffer.from(FEED),
    type: "application/rss+xml; charset=utf-8",
  },
  {
    name: "a UTF-8 byte order mark has priority over the header",
    bytes: Buffer.concat([UTF_8_MARK, Buffer.from("Müller")]),
    type: "text/plain; charset=iso-8859-1",
  },
  {
    name: "a page whose meta element says UTF-16 is read as UTF-8",
    bytes: Buffer.from('<!doctype html><html><head><meta charset="utf-16"></head><body>Müller</body></html>'),
    type: "text/html",
  },
  {
    name: "a feed whose XML declaration says UTF-16 is read as UTF-8",
    bytes: Buffer.from('<?xml version="1.0" encoding="UTF-16"?><rss><title>Müller</title></rss>'),
    type: "text/xml",
  },
  {
    name: "UTF-16 without a byte order mark is decoded by the header's charset",
    bytes: Buffer.from("Müller", "utf16le"),
    type: "text/plain; charset=utf-16",
  },
])("$name", ({ bytes, type }) => {
  const answer = { bytes, ending: "whole", status: 200, statusText: "OK", headers: { "content-type": type } } as const;
  expect(contentOf(answer)).toMatchObject({ text: expect.stringContaining("Müller") });
});

test.each([
  { name: "with zlib's header", sent: deflateSync("hello from IIS"), read: "hello from IIS" },
  { name: "without zlib's header", sent: deflateRawSync("hello from IIS"), read: "hello from IIS" },
  { name: "of nothing", sent: Buffer.alloc(0), read: "" },
])("a deflate body can be read: $name", async ({ sent, read }) => {
  const body = await readFrom(sent, 1_000);
  expect(body).toMatchObject({ ending: "whole" });
  expect(body.bytes.toString()).toBe(read);
});

test("a raw deflate body without a zlib header is cut at the limit", async () => {
  const body = await readFrom(deflateRawSync(Buffer.alloc(1_000_000, "a")), 1_000);
  expect(body.ending).toBe("size");
  expect(body.bytes).toHaveLength(1_000);
});

test("an invalid deflate body is refused", async () => {
  await expect(readFrom(Buffer.from("hello from IIS"), 1_000)).rejects.toThrow(
    "does not match the encoding that it names",
  );
});

async function readFrom(sent: Buffer, maxBytes: number) {
  const server = http.createServer((_, response) => {
    response.writeHead(200, { "content-encoding": "deflate", "content-type": "text/plain" });
    response.end(sent);
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("It listens on no port.");
  const [message] = await once(http.get({ port: address.port, host: "127.0.0.1" }), "response");
  return readBody(message, { maxBytes, deadline: AbortSignal.timeout(5_000) }, new AbortController().signal);
}
