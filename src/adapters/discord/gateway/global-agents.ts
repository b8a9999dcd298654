import http from "node:http";
import https from "node:https";
import ws, { type ClientOptions } from "ws";
import { z } from "zod";
import { ProxyFailure, proxyRefuses } from "../../../core/protocol/system-code.ts";

/** Source: Node, `lib/https.js`. */
const noTunnelSchema = z.object({ code: z.literal("ERR_PROXY_TUNNEL"), statusCode: z.number() });

/** Opens its connection as Node's other clients do. */
class AgentWebSocket extends ws {
  constructor(address: string | URL, protocols: string | string[], options: ClientOptions) {
    const { globalAgent } = new URL(address).protocol === "wss:" ? https : http;
    super(address, protocols, { ...options, agent: globalAgent });
    this.on("error", (error) => {
      const { data } = noTunnelSchema.safeParse(error);
      if (data !== undefined) error.cause = new ProxyFailure(proxyRefuses(data.statusCode));
    });
  }
}

/**
 * Has the gateway's socket go by Node's global agents, and so by their proxy. `ws` connects by itself unless it is given an
 * agent, and discord.js gives it none. That takes the class from this property as it is loaded, with the adapter: after this.
 */
export function useGlobalAgents(): void {
  Object.defineProperty(ws, "WebSocket", { configurable: true, get: () => AgentWebSocket, set: () => {} });
}
