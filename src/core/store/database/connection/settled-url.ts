import { connect } from "node:net";

/** libpq's modes that take TLS where there is some, whatever the certificate, and go without where there is none. */
const EITHER_WAY = /(?<=[?&]sslmode=)(?:allow|prefer)(?=&|$)/gu;

/** A server that takes longer to answer is told to be away by the connection that follows. Milliseconds. */
const ANSWER_MS = 10_000;

/** Source: PostgreSQL docs, Message Formats: SSLRequest, and the byte that agrees to it. */
const ASK_FOR_TLS = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const AGREED = "S".charCodeAt(0);

/** The driver asks for TLS or does not; so it is told which of both this server has, where a URL leaves that open. */
export async function settledUrl(url: string): Promise<string> {
  const plain = url.replace(EITHER_WAY, "disable");
  if (plain === url || url.includes("uselibpqcompat=true")) return url;
  const { default: pg } = await import("pg");
  const { host, port } = new pg.Client({ connectionString: plain });
  const isSocket = host.startsWith("/");
  return !isSocket && (await hasTls(host, port)) ? url.replace(EITHER_WAY, "no-verify") : plain;
}

/** True also where nobody answers: the connection tells why. */
function hasTls(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS });
    const tell = (has: boolean) => {
      socket.destroy();
      resolve(has);
    };
    socket.once("connect", () => socket.write(ASK_FOR_TLS));
    socket.once("data", (answer) => tell(answer[0] === AGREED));
    for (const sign of ["timeout", "error", "close"]) socket.once(sign, () => tell(true));
  });
}
