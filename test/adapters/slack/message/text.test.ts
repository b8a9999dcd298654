import { expect, test } from "vitest";
import {
  addressedFirst,
  mentionedIn,
  readableText,
  withoutMentionOf,
} from "../../../../src/adapters/slack/message/text.ts";

const names = { people: new Map([["U1", "ana"]]), channels: new Map([["C1", "ops"]]) };

const cases = [
  { name: "a mention", written: "ask <@U1> and <@U2|bob> and <@U3>", read: "ask @ana and @bob and @U3" },
  { name: "a channel", written: "see <#C1> and <#C2|dev>", read: "see #ops(C1) and #dev(C2)" },
  { name: "a channel without a name", written: "<#C9|> and <#C8>", read: "#C9 and #C8" },
  {
    name: "a call to all",
    written: "<!channel> <!here|here> <!subteam^S1|@team> <!subteam^S2>",
    read: "@channel @here @team @group S2",
  },
  {
    name: "a moment",
    written: "<!date^1700000000^{date}^https://a.example|Nov 14> <!date^1700000000^{date_long}> <!date^later^{date}>",
    read: "[2023-11-14](https://a.example) 2023-11-14 later",
  },
  {
    name: "a moment within a sentence",
    written:
      "<!date^1700000000^Began {date_short_pretty} at {time_secs}|Incident> <!date^1700000000^{ago}|1700000000> <!date^1700000000^|>",
    read: "Began 2023-11-14 at 22:13 UTC 2023-11-14 22:13 UTC 2023-11-14 22:13 UTC",
  },
  { name: "a moment that is none", written: "<!date^soon^{date}|next week>", read: "next week" },
  { name: "a link", written: "<https://a.example/x?y=1&amp;z=2>", read: "https://a.example/x?y=1&z=2" },
  { name: "a link with a label", written: "<https://a.example|the docs>", read: "[the docs](https://a.example)" },
  { name: "a link that is its own label", written: "<https://a.example|a.example>", read: "https://a.example" },
  {
    name: "links whose labels end their addresses",
    written: "<https://a.example/acme|acme>/<https://a.example/acme/shop|shop>",
    read: "[acme](https://a.example/acme)/[shop](https://a.example/acme/shop)",
  },
  {
    name: "a file that Slack takes for a site",
    written: "run scripts/<http://deploy.sh|deploy.sh>",
    read: "run scripts/deploy.sh",
  },
  { name: "a site without its scheme", written: "<http://a.example/|a.example>", read: "a.example" },
  { name: "an address", written: "<mailto:ana@a.example|ana@a.example>", read: "ana@a.example" },
  { name: "escaped characters", written: "if a &lt; b &amp;&amp; c &gt; d: &amp;lt;", read: "if a < b && c > d: &lt;" },
  { name: "angle brackets that mean nothing", written: "a <b> c", read: "a <b> c" },
];

test.each(cases)("$name is rendered as people see it", ({ written, read }) => {
  expect(readableText(written, names)).toBe(read);
});

test.each([
  { text: "<@U9> change it", left: "change it" },
  { text: "<@U9|deckhand>, change it", left: "change it" },
  { text: "please <@U9> change it", left: "please change it" },
  { text: "change it <@U9>", left: "change it" },
  { text: "first line <@U9>\n  indented", left: "first line\n  indented" },
  { text: "<@U99> change it", left: "<@U99> change it" },
])("$text without the bot's mention is $left", ({ text, left }) => {
  expect(withoutMentionOf(text, "U9")).toBe(left);
});

test("who is mentioned, and who is addressed first", () => {
  expect(mentionedIn("<@U1> and <@W2|x> and <@U1>")).toEqual(["U1", "W2"]);
  expect(addressedFirst(" <@U1> hi")).toBe("U1");
  expect(addressedFirst("hi <@U1>")).toBeNull();
});
