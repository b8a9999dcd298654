import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";

/** Environment variable that leads test processes to the process that knows the port of the shared server. */
const ASKED = "DECKHAND_TEST_POSTGRES";

/** Port of the PostgreSQL of this run, which starts on the first request; null outside a run. */
export async function sharedPort(): Promise<number | null> {
  const asked = process.env[ASKED];
  if (asked === undefined) return null;
  const answer = await text(connect(Number(asked), "127.0.0.1"));
  if (!/^\d+$/u.test(answer)) throw new Error(`the shared PostgreSQL did not start: ${answer}`);
  return Number(answer);
}

/** Serves the port for as long as tests run. Null if another project of the run already serves it. */
export async function answerWithPort(start: () => Promise<number>): Promise<(() => void) | null> {
  if (process.env[ASKED] !== undefined) return null;
  let started: Promise<number> | null = null;
  const door = createServer((socket) => {
    started ??= start();
    started.then(
      (port) => socket.end(String(port)),
      (error: unknown) => socket.end(String(error)),
    );
    socket.on("error", () => undefined); // the asking process has gone
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const address = door.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  process.env[ASKED] = String(address.port);
  return () => {
    delete process.env[ASKED];
    door.close();
  };
}
