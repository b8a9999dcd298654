import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Statements as PostgreSQL receives them, including BEGIN and COMMIT, in order of arrival. */
export interface WireCounter extends AsyncDisposable {
  /** The database's URL through the counter. */
  readonly url: string;
  /** Texts of the statements executed since the last call. */
  take(): readonly string[];
  /** Number of rows returned since the last call. */
  takeRows(): number;
}

/**
 * A proxy between a program and its PostgreSQL that reads the frontend messages. Source: PostgreSQL docs, “Message
 * Formats”.
 */
export async function countOnTheWire(url: string): Promise<WireCounter> {
  const target = new URL(url);
  let statements: string[] = [];
  let rows = 0;
  const sockets = new Set<Socket>();
  const server = createServer((program) => {
    const database = connect(Number(target.port), target.hostname);
    const reader = messageReader({ isStarted: false, read: statementReader((sql) => statements.push(sql)) });
    const answers = messageReader({ isStarted: true, read: (type) => (rows += type === "D" ? 1 : 0) });
    for (const socket of [program, database]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        program.destroy();
        database.destroy();
        sockets.delete(socket);
      });
    }
    program.on("data", reader);
    database.on("data", answers);
    program.pipe(database);
    database.pipe(program);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the counter has no port");
  const counted = new URL(url);
  counted.port = String(address.port);
  return {
    url: counted.href,
    take() {
      const taken = statements;
      statements = [];
      return taken;
    },
    takeRows() {
      const taken = rows;
      rows = 0;
      return taken;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Length in bytes of a message's length field, which counts itself. */
const LENGTH_BYTES = 4;

type Read = (type: string, body: Buffer) => void;

function statementReader(executed: (sql: string) => void): Read {
  const parsed = new Map<string, string>();
  let bound = "";
  return (type, body) => {
    const [first = "", second = ""] = body.toString("utf8").split("\0", 2);
    if (type === "Q") executed(first);
    else if (type === "P") parsed.set(first, second);
    else if (type === "B") bound = parsed.get(second) ?? "?";
    else if (type === "E") executed(bound);
  };
}

/** The first message of a connection has no type. */
function messageReader({ isStarted, read }: { isStarted: boolean; readonly read: Read }): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let hasType = isStarted;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = hasType ? 1 : 0;
      if (rest.length < head + LENGTH_BYTES) return;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return;
      if (hasType) read(rest.toString("latin1", 0, 1), rest.subarray(head + LENGTH_BYTES, end));
      hasType = true;
      rest = rest.subarray(end);
    }
  };
}
