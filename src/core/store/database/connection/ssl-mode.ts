import { connect } from "node:net";

/** The modes of libpq that use TLS if the server has it, with any certificate, and otherwise do without. */
const EITHER_WAY = /(?<=[?&]sslmode=)(?:allow|prefer)(?=&|$)/gu;

/** If no answer arrives in this time, the next connection attempt reports the server as unreachable. Milliseconds. */
const ANSWER_MS = 10_000;

/** Source: PostgreSQL docs, Message Formats: SSLRequest, and the byte that agrees to it. */
const ASK_FOR_TLS = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const AGREED = "S".charCodeAt(0);

/**
 * Replaces an sslmode that leaves TLS open by one that says whether this server has it, because the driver either
 * demands TLS or does without.
 */
export async function resolveSslMode(url: string): Promise<string> {
  const plain = url.replace(EITHER_WAY, "disable");
  if (plain === url || url.includes("uselibpqcompat=true")) return url;
  const { default: pg } = await import("pg");
  const { host, port } = new pg.Client({ connectionString: plain });
  const isSocket = host.startsWith("/");
  return !isSocket && (await hasTls(host, port)) ? url.replace(EITHER_WAY, "no-verify") : plain;
}

/** Whether the server offers TLS. Also true if nobody answers, since the connection attempt then reports why. */
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
