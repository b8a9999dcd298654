import { expect, test } from "vitest";
import { messageSchema } from "../../../../src/adapters/discord/message/message-schema.ts";
import { threadMessage } from "../../../../src/adapters/discord/message/read-message.ts";
import type { Names } from "../../../../src/adapters/discord/message/text.ts";
import { BOT, sample } from "./samples.ts";

const names: Names = {
  botId: BOT.id,
  isBotRole: () => false,
  role: () => undefined,
  channel: () => undefined,
  sound: () => undefined,
};

/** Cards of monitors, with the text that each becomes. */
const cards: readonly (readonly [name: string, parts: object, text: string])[] = [
  [
    "a build whose colour alone says that it failed",
    { embeds: [{ type: "rich", title: "nightly", color: 0xac_1a_17, description: "took 3 min" }] },
    "nightly\ntook 3 min\n[marked red]",
  ],
  [
    "a container with a colour",
    { flags: 32_768, components: [{ type: 17, accent_color: 0x2e_cc_71, components: [{ type: 10, content: "api" }] }] },
    "[marked green]\napi",
  ],
  [
    "a link preview, whose colour its page chose",
    { embeds: [{ type: "article", title: "News", color: 0xff_00_00 }] },
    "News",
  ],
  [
    "the links of an author",
    { embeds: [{ type: "rich", author: { name: "ana", url: "https://git.example/ana" }, title: "Pool" }] },
    "[ana](https://git.example/ana)\nPool",
  ],
  [
    "several pictures of one card, which arrive as cards of one address",
    {
      embeds: ["load", "disk"].map((name) => ({
        type: "rich",
        url: "https://panels.example",
        ...(name === "load" ? { title: "Panels" } : {}),
        image: { url: `https://panels.example/${name}.png` },
      })),
    },
    "Panels\nhttps://panels.example\n[image: load.png]\n[image: disk.png]",
  ],
  [
    "a menu with what its options mean, and which is chosen",
    {
      components: [
        {
          type: 1,
          components: [
            {
              type: 3,
              custom_id: "state",
              placeholder: "State",
              options: [
                { label: "Open", value: "o", description: "pages people" },
                { label: "Muted", value: "m", description: "for an hour", default: true },
                { label: "Closed", value: "c" },
              ],
            },
          ],
        },
      ],
    },
    "[menu: State: Open (pages people), Muted (for an hour; chosen), Closed]",
  ],
  [
    "reactions of others than the bot",
    {
      content: "api is down",
      reactions: [
        { emoji: { id: null, name: "👀" }, count: 2, me: false },
        { emoji: { id: "7", name: "ack" }, count: 3, me: true },
        { emoji: { id: null, name: "✅" }, count: 1, me: true },
        "odd",
      ],
    },
    "api is down\n[reactions: 👀 2, :ack: 2]",
  ],
];

test.each(cards)("%s is read", (_name, parts, text) => {
  expect(threadMessage(messageSchema.parse(sample(parts)), names)?.text).toBe(text);
});
