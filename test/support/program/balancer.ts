import { createServer, type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";

/** Distributes requests and sockets among several servers in turn. */
export interface Balancer extends AsyncDisposable {
  readonly port: number;
  /** Sets the targets, once their ports are known. */
  lead(ports: readonly number[]): void;
}

export async function startBalancer(): Promise<Balancer> {
  const ports: number[] = [];
  const open = new Set<Duplex>();
  let count = 0;
  const passed = ({ method = "GET", url = "/", headers }: IncomingMessage) => {
    count += 1;
    return request({ host: "127.0.0.1", port: ports[count % ports.length], path: url, method, headers });
  };
  const server = createServer((asked, reply) => {
    const asking = passed(asked);
    asking.on("response", (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    asking.on("error", () => reply.destroy());
    asked.pipe(asking);
  });
  server.on("upgrade", (asked: IncomingMessage, browser: Duplex) => {
    const asking = passed(asked);
    asking.on("upgrade", (answer, far, head) => {
      const lines = [`HTTP/1.1 101 ${answer.statusMessage ?? ""}`];
      for (let at = 0; at < answer.rawHeaders.length; at += 2)
        lines.push(`${answer.rawHeaders[at]}: ${answer.rawHeaders[at + 1]}`);
      browser.write(`${lines.join("\r\n")}\r\n\r\n`);
      for (const end of [far, browser]) {
        open.add(end);
        end.on("error", () => end.destroy());
      }
      far.unshift(head);
      far.pipe(browser).pipe(far);
    });
    asking.on("error", () => browser.destroy());
    asking.end();
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : 0,
    lead: (to) => {
      ports.splice(0, ports.length, ...to);
    },
    async [Symbol.asyncDispose]() {
      for (const end of open) end.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
