import { createMcpConnections, type McpOptions } from "./connections.ts";
import { kindsText } from "./kinds-text.ts";

/** Milliseconds for all servers together: whoever looks waits for it. */
const LOOK_MS = 30_000;

interface Look {
  readonly name: string;
  readonly tools: number;
  /** What each of them is. */
  readonly kinds: string;
  /** Null: it is connected. */
  readonly problem: string | null;
}

/** Each server as it is found; none is left running. */
export async function lookAtMcpServers(options: Omit<McpOptions, "ask" | "idle">): Promise<readonly Look[]> {
  const mcp = createMcpConnections({ ...options, idle: [], ask: () => Promise.resolve(null) });
  const over = new AbortController();
  mcp.start(over.signal);
  await Promise.race([mcp.settled(), options.clock.sleep(LOOK_MS, over.signal)]);
  const found = mcp
    .describe()
    .map(({ name, tools, problem }) => ({ name, tools: tools.length, kinds: kindsText(tools), problem }));
  over.abort();
  await mcp.stop();
  return found;
}
