import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../program/bot.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

/** A server that echoes what it receives. */
let echo: Server;
let proxy: TcpProxy;
const atServer: Socket[] = [];

beforeEach(async () => {
  atServer.length = 0;
  echo = createServer((socket) => {
    atServer.push(socket);
    socket.on("error", () => undefined).pipe(socket);
  });
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  proxy = await startTcpProxy(target());
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  echo.close();
});

function target(): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server of TCP that listens has a port
  return `tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`;
}

/** An error event may precede the close event. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

interface Caller {
  readonly socket: Socket;
  readonly heard: () => string;
  readonly hears: (text: string) => Promise<void>;
}

async function call(port = proxy.port): Promise<Caller> {
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  socket.on("data", (bytes) => {
    heard += String(bytes);
  });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return {
    socket,
    heard: () => heard,
    hears: (text) => until(() => heard === text, { what: () => `${text}: ${heard}` }),
  };
}

test("what is sent arrives whole and in order, much of it too", async () => {
  const { socket, hears } = await call();
  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} of many\n`);
  for (const line of lines) socket.write(line);
  await hears(lines.join(""));
});

test("a round trip takes the delay longer, and much at once no longer than one of it", async () => {
  const { socket, hears, heard } = await call();
  const tookMs = async (work: () => Promise<void>) => {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  proxy.delayMs = 301;
  expect(
    await tookMs(async () => {
      for (let index = 0; index < 100; index += 1) socket.write("x");
      await hears("x".repeat(100));
    }),
  ).toBeGreaterThan(295);
  const before = heard();
  proxy.delayMs = 0;
  socket.write("y");
  await hears(`${before}y`);
});

test("a cut ends both sides, and the next connection is as good as new", async () => {
  const { socket, hears } = await call();
  socket.write("a");
  await hears("a");
  const closed = [socket, ...atServer].map(closing);
  proxy.cut();
  await Promise.all(closed);
  await until(() => proxy.connections() === 0, { what: () => "no connection" });
  const next = await call();
  next.socket.write("b");
  await next.hears("b");
});

test("while it is frozen nothing passes, not even an end; what was held back passes when it thaws", async () => {
  const { socket, heard, hears } = await call();
  const other = await call();
  socket.write("a");
  await hears("a");
  proxy.freeze();
  socket.write("b");
  other.socket.resetAndDestroy();
  // A frozen proxy accepts new connections but stays silent on them too.
  const late = await call();
  late.socket.write("c");
  // Keep another connection busy meanwhile.
  const beside = await startTcpProxy(target());
  const busy = await call(beside.port);
  for (let index = 1; index <= 20; index += 1) {
    busy.socket.write("x");
    await busy.hears("x".repeat(index));
  }
  await beside[Symbol.asyncDispose]();
  expect([heard(), late.heard(), atServer.filter(({ destroyed }) => destroyed)]).toEqual(["a", "", []]);
  proxy.thaw();
  await hears("ab");
  await late.hears("c");
  await until(() => atServer.some(({ destroyed }) => destroyed), { what: () => "the news of the end" });
});

test("a connection that is refused is broken at once, and others stand", async () => {
  const { socket, hears } = await call();
  proxy.refuse();
  const refused = connect(proxy.port, "127.0.0.1");
  refused.on("error", () => undefined);
  await closing(refused);
  expect(atServer.length).toBeLessThanOrEqual(1);
  socket.write("a");
  await hears("a");
  proxy.accept();
  const next = await call();
  next.socket.write("b");
  await next.hears("b");
});

test("an end that is only half of one leaves the other half", async () => {
  const { socket, heard } = await call();
  socket.end("last words");
  await once(socket, "close");
  expect(heard()).toBe("last words");
});
