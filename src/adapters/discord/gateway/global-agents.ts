import http from "node:http";
import https from "node:https";
import ws, { type ClientOptions } from "ws";
import { z } from "zod";
import { ProxyFailure, proxyRefusalText } from "../../../core/protocol/system-code.ts";

/** Source: Node, `lib/https.js`. */
const noTunnelSchema = z.object({ code: z.literal("ERR_PROXY_TUNNEL"), statusCode: z.number() });

/** A WebSocket that connects through Node's global agents. */
class AgentWebSocket extends ws {
  constructor(address: string | URL, protocols: string | string[], options: ClientOptions) {
    const { globalAgent } = new URL(address).protocol === "wss:" ? https : http;
    super(address, protocols, { ...options, agent: globalAgent });
    this.on("error", (error) => {
      const { data } = noTunnelSchema.safeParse(error);
      if (data !== undefined) error.cause = new ProxyFailure(proxyRefusalText(data.statusCode));
    });
  }
}

/**
 * Makes the gateway's socket use Node's global agents, and so their proxy; `ws` connects directly unless given an
 * agent, and discord.js gives none. Has to run before discord.js is loaded and takes the class from this property.
 */
export function useGlobalAgents(): void {
  Object.defineProperty(ws, "WebSocket", { configurable: true, get: () => AgentWebSocket, set: () => {} });
}
