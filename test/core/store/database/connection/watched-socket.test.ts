import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { watchedSocket } from "../../../../../src/core/store/database/connection/watched-socket.ts";

/** A watched socket connected to a server that sends nothing. */
async function silent(hears: (socket: Socket) => void) {
  const server = createServer({ pauseOnConnect: true }, hears);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  const socket = watchedSocket(100);
  onTestFinished(() => void socket.destroy());
  socket.connect(address.port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

test.runIf(process.platform === "linux")("a connection whose peer acknowledges nothing is closed", async () => {
  const socket = await silent(() => undefined);
  // More data than the system buffers for a peer that does not read.
  socket.write(Buffer.alloc(64 * 1024 * 1024));
  const [error] = await once(socket, "error");
  expect(error).toMatchObject({ message: "the other end acknowledges nothing" });
});

test("a connection whose peer answers slowly is kept", async () => {
  const socket = await silent((heard) => heard.resume());
  socket.write("SELECT pg_sleep(60)");
  for (let look = 0; look < 3; look += 1) await once(socket, "timeout");
  expect(socket.destroyed).toBe(false);
});
