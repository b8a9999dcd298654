import { expect, test } from "vitest";
import { everything } from "../../features/mcp/connected.ts";
import { everythingOverHttp } from "../../features/mcp/everything-http.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import { asks, cards } from "../../support/talk/approval-talk.ts";
import { conversationOf, slackOffice } from "../../support/talk/slack-talk.ts";

const SUM = { a: 2, b: 40 };

const transports: readonly { transport: string; server: () => Promise<object> }[] = [
  { transport: "stdio", server: async () => everything() },
  { transport: "streamable HTTP", server: async () => ({ url: (await everythingOverHttp()).url }) },
];

test.each(transports)(
  "a third party's MCP server over $transport is used in a thread, after asking",
  async ({ server }) => {
    await using office = await slackOffice({ settings: { mode: "write", mcpServers: { all: await server() } } });
    await office.bot.start();
    office.model.script((request) => {
      const said = conversationOf(request.body);
      if (said.includes("The sum of 2 and 40 is 42")) return text("It is 42.");
      if (said.includes("mcp__all__get-sum: ")) return toolUse("use_tool", { name: "mcp__all__get-sum", input: SUM });
      const isThere = JSON.stringify(request.body).includes("- mcp__all__* (");
      return isThere ? toolUse("tool_search", { query: "sum of two numbers" }) : text("Not there yet.");
    });
    // The server connects in the background, so the first answers may come without it.
    const talk = office.talk({ text: "add 2 and 40", channel: office.channel() });
    let answers = 0;
    while (cards(talk).length === 0) {
      await Promise.race([asks(office, talk), talk.answered(answers + 1)]);
      if (talk.answers().length === answers) break;
      answers = talk.answers().length;
      talk.mention("add 2 and 40");
    }
    await asks(office, talk);
    const [card] = cards(talk);
    expect(card?.text).toMatch(/Call get-sum of MCP server all\?[\s\S]*"a": 2[\s\S]*not sandboxed/iu);
    expect(card?.text).not.toContain("use_tool");
    talk.click("approve:y");
    await office.until("the answer", () => talk.answers().includes("It is 42."));
    expect(office.model.violations).toEqual([]);

    talk.mention("/tools");
    const listed = () => office.ephemeralsTo("U0ANA").join("\n");
    await office.until("the list", () => listed().includes("mcp__all__get-sum"));
    expect(listed()).toMatch(/^mcp__all__get-sum +execute +asks first +MCP server all, not sandboxed$/mu);
    expect(listed()).toMatch(/^mcp_resources +read +yes +all MCP servers, not sandboxed$/mu);
  },
);
