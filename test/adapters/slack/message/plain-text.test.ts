import { expect, test } from "vitest";
import { formatMessage } from "../../../../src/adapters/slack/format.ts";
import { plainText } from "../../../../src/adapters/slack/message/plain-text.ts";
import { plainMessage } from "../../../contracts/platform-steps.ts";

test.each([
  { what: "bold", markdown: "**Run a command?**", plain: "Run a command?" },
  { what: "emphasis in bold", markdown: "**a *b* c** and ***all***", plain: "a b c and all" },
  { what: "underscores", markdown: "_so_ and __so__, but max_turns_left", plain: "so and so, but max_turns_left" },
  { what: "struck out", markdown: "~~no~~ yes", plain: "no yes" },
  { what: "a fence", markdown: "Run:\n```bash\nfind . -name '**'\n```\nNow?", plain: "Run:\nfind . -name '**'\nNow?" },
  { what: "a code span", markdown: "read `**/config_a_.toml` now", plain: "read **/config_a_.toml now" },
  { what: "a link", markdown: "see [the run](https://a.example/x?y=1) now", plain: "see the run now" },
  { what: "a link in bold with code", markdown: "**[`main.ts`](https://a.example)**", plain: "main.ts" },
  { what: "an image", markdown: "![the chart](https://a.example/c.png)", plain: "the chart" },
  {
    what: "an address",
    markdown: "<https://a.example> and https://b.example",
    plain: "https://a.example and https://b.example",
  },
  { what: "a heading", markdown: "## What failed\n\n\n\nAll of it.", plain: "What failed\n\nAll of it." },
  { what: "a quotation", markdown: "> said\n> > before", plain: "said\nbefore" },
  { what: "a list", markdown: "- one\n  * two\n1. three", plain: "• one\n  • two\n1. three" },
  { what: "a table", markdown: "| a | b |\n|---|:-:|\n| 1 | **2** |", plain: "a · b\n1 · 2" },
  { what: "a rule", markdown: "above\n---\nbelow", plain: "above\nbelow" },
  { what: "escapes", markdown: "2 \\* 3 and \\_x\\_", plain: "2 * 3 and _x_" },
  { what: "arithmetic", markdown: "2 * 3 * 4 > 5 - 6", plain: "2 * 3 * 4 > 5 - 6" },
])("$what is reduced to its text", ({ markdown, plain }) => {
  expect(plainText(markdown)).toBe(plain);
});

test("notification text has no markup and no mentions", () => {
  const { text, blocks } = formatMessage(plainMessage("**Done**, <!channel>: see [`a.ts`](https://a.example) & more"));
  expect(text).toBe("Done, &lt;\u200b!channel&gt;: see a.ts &amp; more");
  expect(blocks).toMatchObject([{ type: "markdown", text: expect.stringContaining("**Done**") }]);
});
