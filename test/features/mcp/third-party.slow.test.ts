import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toolSpecs } from "../../../src/core/agent/tool-specs.ts";
import type { McpServer } from "../../../src/features/mcp/server-settings.ts";
import { connect, everything, textIn, useConnected } from "./connected.ts";
import { everythingOverHttp, type HttpServer, startEverything } from "./everything-http.ts";

/** What others' code and ours make of each other: @modelcontextprotocol/server-everything. */

let overHttp: HttpServer;

beforeAll(async () => {
  overHttp = await startEverything();
});

afterAll(() => overHttp.kill());

const transports: { transport: string; server: () => McpServer }[] = [
  { transport: "stdio", server: () => everything() },
  { transport: "streamable HTTP", server: () => ({ url: overHttp.url }) },
];

describe.each(transports)("a third-party server over $transport", ({ server }) => {
  const all = useConnected(() => Promise.resolve({ all: server() }));

  test("is connected, and its tools are offered", async () => {
    const { mcp, call } = all();
    const [view] = mcp.describe();
    expect(view?.state.type).toBe("connected");
    expect(view?.leftOut).toEqual([]);
    expect(view?.tools).toContainEqual({ name: "mcp__all__get-sum", tool: "get-sum", permission: "execute" });
    expect(textIn(await call("mcp__all__echo", { message: "hello" }))).toBe("Echo: hello");
    expect(textIn(await call("mcp__all__get-sum", { a: 2, b: 40 }))).toContain("42");
  });

  test("shows models its own schema and refuses input that does not fit it", async () => {
    const { mcp, tool } = all();
    const spec = toolSpecs(mcp.tools()).find(({ name }) => name === "mcp__all__get-sum");
    expect(spec?.inputSchema).toEqual({
      type: "object",
      properties: {
        a: { type: "number", description: "First number" },
        b: { type: "number", description: "Second number" },
      },
      required: ["a", "b"],
    });
    expect(tool("mcp__all__get-sum").input.safeParse({ a: 1, b: 2 }).success).toBe(true);
    const refused = tool("mcp__all__get-sum").input.safeParse({ a: "one" });
    expect(refused.error?.issues.map(({ message }) => message).join()).toContain('"b"');
  });

  test("returns images, resources and structured content", async () => {
    const { call } = all();
    const image = await call("mcp__all__get-tiny-image");
    expect(image.content.map(({ type }) => type)).toContain("image");
    const reference = await call("mcp__all__get-resource-reference", { resourceType: "Text", resourceId: 1 });
    expect(reference.content.find(({ type }) => type === "document")).toMatchObject({ mediaType: "text/plain" });
    expect(textIn(await call("mcp__all__get-resource-links", { count: 2 }))).toContain("[resource demo://resource");
    expect(textIn(await call("mcp__all__get-structured-content", { location: "Chicago" }))).toContain("temperature");
  });

  test("stops at once when its call is cancelled", async () => {
    const { call } = all();
    const stop = new AbortController();
    const running = call("mcp__all__trigger-long-running-operation", { duration: 3_600, steps: 2 }, stop.signal);
    await call("mcp__all__echo", { message: "the other call is under way" });
    stop.abort(new Error("stopped by a person"));
    await expect(running).rejects.toThrow("stopped by a person");
    expect(textIn(await call("mcp__all__echo", { message: "still there" }))).toBe("Echo: still there");
  });

  test("returns an error as a result", async () => {
    const { call } = all();
    const result = await call("mcp__all__get-sum", { a: "one" });
    expect(result.isError).toBe(true);
    expect(textIn(result)).toMatch(/invalid/i);
  });

  test("lists and returns resources and prompts", async () => {
    const { call } = all();
    const listed = textIn(await call("mcp_resources", { action: "list", server: "all" }));
    expect(listed).toContain("Resources:\n- demo://");
    expect(listed).toContain("Resource templates:\n- demo://");
    expect(listed).toContain("- args-prompt(city, state?)");
    const uri = /^- (demo:\S+)/m.exec(listed)?.[1];
    const read = await call("mcp_resources", { action: "read", server: "all", uri });
    expect(read).toMatchObject({ isError: false, content: [{ type: "document", name: uri }] });
    const prompt = { action: "prompt", server: "all", name: "args-prompt", arguments: { city: "Paris" } };
    expect(textIn(await call("mcp_resources", prompt))).toContain("Paris");
    const missing = await call("mcp_resources", { action: "read", server: "all", uri: "demo://nowhere" });
    expect(missing.isError).toBe(true);
  });
});

test("a program's environment contains only what was configured", async () => {
  const { call } = await connect(
    { all: everything({ env: { TOKEN: "for this server" } }) },
    { environment: { PATH: "/bin" } },
  );
  const environment: unknown = JSON.parse(textIn(await call("mcp__all__get-env")));
  expect(environment).toEqual({ PATH: "/bin", TOKEN: "for this server" });
});

test("a call reaches a restarted server that has forgotten our session", async () => {
  const before = await everythingOverHttp();
  const { mcp, call } = await connect({ all: { url: before.url } });
  await before.kill();
  const lost = await call("mcp__all__echo", { message: "anybody?" });
  expect(lost.isError).toBe(true);
  expect(textIn(lost)).toMatch(
    /^all is not connected: the connection to it failed \(ECONN[A-Z]+\)\. (Next try (now|in \d+ s)|I'm trying again now)\.$/,
  );
  expect(mcp.tools().map(({ name }) => name)).toContain("mcp__all__echo");

  await everythingOverHttp(before.port);
  await expect.poll(async () => textIn(await call("mcp__all__echo", { message: "again" }))).toBe("Echo: again");
});

test("a session that the server has forgotten is recreated without the model noticing", async () => {
  const before = await everythingOverHttp();
  const { call } = await connect({ all: { url: before.url } });
  expect(textIn(await call("mcp__all__echo", { message: "one" }))).toBe("Echo: one");
  await before.kill();
  await everythingOverHttp(before.port);
  expect(textIn(await call("mcp__all__echo", { message: "two" }))).toBe("Echo: two");
});
