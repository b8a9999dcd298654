import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { freePort } from "../../support/program/free-port.ts";
import { EVERYTHING } from "./connected.ts";

export interface HttpServer {
  readonly port: number;
  readonly url: string;
  kill(): Promise<void>;
}

/** The third-party server over streamable HTTP, or `sse`, until the end of the test. */
export async function everythingOverHttp(again?: number, transport?: string): Promise<HttpServer> {
  const server = await startEverything(again, transport);
  onTestFinished(() => server.kill());
  return server;
}

/** Starts the server, which the caller must end. */
export async function startEverything(again?: number, transport = "streamableHttp"): Promise<HttpServer> {
  const port = again ?? (await freePort());
  const preload = fileURLToPath(new URL("./loopback.mjs", import.meta.url));
  const child = spawn(process.execPath, ["--import", preload, EVERYTHING, transport], {
    env: { LOOPBACK_PORT: String(port) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const said = /^port (\d+)$/.exec(line)?.[1];
    if (said !== undefined) {
      child.stdout.resume();
      return { port: Number(said), url: `http://127.0.0.1:${said}/mcp`, kill };
    }
  }
  throw new Error("the server ended before it listened");
}
