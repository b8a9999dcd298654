import { describe, expect, test } from "vitest";
import { postKey } from "../../../src/adapters/discord/format.ts";
import { type ChannelContext, inboundMessage } from "../../../src/adapters/discord/inbound.ts";
import { commandArguments } from "../../../src/adapters/discord/interactions/command-arguments.ts";
import { messageSchema } from "../../../src/adapters/discord/message/message-schema.ts";
import { threadMessage } from "../../../src/adapters/discord/message/read-message.ts";
import type { Names } from "../../../src/adapters/discord/message/text.ts";
import type { CommandOption } from "../../../src/adapters/discord/wire.ts";

const BOT = "100";
const names: Names = {
  botId: BOT,
  isBotRole: (id) => id === "200",
  role: (id) => (id === "201" ? "ops" : undefined),
  channel: (id) => (id === "300" ? "general" : undefined),
  sound: () => undefined,
};
const channel: ChannelContext = {
  workspace: { id: "1", name: "Harbour" },
  channel: { id: "300", name: "general", kind: "channel" },
  threadId: null,
  opensThreads: true,
};
const thread: ChannelContext = { ...channel, threadId: "301", opensThreads: false };
const voice: ChannelContext = { ...channel, opensThreads: false };
const dm: ChannelContext = {
  workspace: { id: "@me", name: "Direct messages" },
  channel: { id: "400", name: "direct message", kind: "dm" },
  threadId: null,
  opensThreads: false,
};

const ana = { id: "1000", username: "ana_99", global_name: "Ana" };
const bob = { id: "1001", username: "bob", global_name: null };
const bot = { id: BOT, username: "deckhand", bot: true };
/** 2024-05-30T01:20:00Z. */
const AT = 1_717_032_000_000;
const ID = String(BigInt(AT - 1_420_070_400_000) << 22n);

function wire(content: string, extra: object = {}) {
  return messageSchema.parse({
    id: ID,
    channel_id: "300",
    guild_id: "1",
    type: 0,
    author: ana,
    content,
    mentions: [bot, bob].filter(({ id }) => content.includes(`<@${id}>`)),
    ...extra,
  });
}

function read(content: string, extra: object = {}, place: ChannelContext = channel) {
  const event = inboundMessage(wire(content, extra), place, { names, serves: () => true });
  if (event === null) throw new Error("the message was ignored");
  return event;
}

describe("the text", () => {
  test.each([
    ["<@100> hello", "hello"],
    ["<@!100> hello", "hello"],
    ["<@&200> hello", "hello"],
    ["<@100>\n```\ncode\n```", "```\ncode\n```"],
    ["hey <@100> what's up", "hey what's up"],
    ["ask <@100>, please", "ask, please"],
    ["<@100>", ""],
    ["tell <@1001> about <#300>", "tell @bob about #general"],
    ["tell <@999> about <#998> and <@&997>", "tell @999 about #998 and @997"],
    ["<@&201> look <:party:123> <a:wave:124>", "@ops look :party: :wave:"],
    ["use </jobs add:123>", "use /jobs add"],
    ["@everyone 張偉 😀 \u202eabc", "@everyone 張偉 😀 \u202eabc"],
    ["if a < b && c > d", "if a < b && c > d"],
  ])("of %j is %j", (content, text) => {
    expect(read(content).text).toBe(text);
  });

  test("calls people what the server calls them", () => {
    const mentions = [{ ...bob, member: { nick: "Bobby Tables" } }];
    expect(read("<@100> ask <@1001>", { mentions }).text).toBe("ask @Bobby Tables");
  });
});

describe("whom it addresses", () => {
  const reply = (author: object, mentions: object[]) => ({
    type: 19,
    mentions,
    referenced_message: { id: "5", channel_id: "300", type: 0, author, content: "before" },
  });
  test.each<{
    what: string;
    content: string;
    extra?: object;
    place: ChannelContext;
    addressed: string;
    opensThread?: boolean;
  }>([
    { what: "a mention in a channel", content: "<@100> hi", place: channel, addressed: "mention", opensThread: true },
    {
      what: "a mention later in the text",
      content: "hi <@100>",
      place: channel,
      addressed: "mention",
      opensThread: true,
    },
    {
      what: "a mention of the bot's role",
      content: "<@&200> hi",
      extra: { mention_roles: ["200"] },
      place: channel,
      addressed: "mention",
      opensThread: true,
    },
    { what: "a mention in a thread", content: "<@100> hi", place: thread, addressed: "mention" },
    { what: "a mention in a voice channel's chat", content: "<@100> hi", place: voice, addressed: "mention" },
    {
      what: "somebody else, then the bot",
      content: "<@1001> ask <@100>",
      place: channel,
      addressed: "mention",
      opensThread: true,
    },
    {
      what: "nobody, with the bot in code",
      content: "type `<@100> help`",
      extra: { mentions: [] },
      place: channel,
      addressed: "none",
    },
    {
      what: "nobody, with the bot in a block",
      content: "```\n<@100> help\n```",
      extra: { mentions: [] },
      place: channel,
      addressed: "none",
    },
    {
      what: "nobody, with the bot as written",
      content: "it is \\<@100>",
      extra: { mentions: [] },
      place: channel,
      addressed: "none",
    },
    {
      what: "the bot, beside code",
      content: "`a` <@100> `b`",
      extra: { mentions: [] },
      place: channel,
      addressed: "mention",
      opensThread: true,
    },
    { what: "nobody", content: "hi", place: channel, addressed: "none" },
    { what: "nobody, in a thread", content: "hi", place: thread, addressed: "none" },
    { what: "everyone", content: "@everyone hi", extra: { mention_everyone: true }, place: thread, addressed: "none" },
    { what: "somebody else", content: "<@1001> hi", place: thread, addressed: "other" },
    {
      what: "another role",
      content: "<@&201> hi",
      extra: { mention_roles: ["201"] },
      place: thread,
      addressed: "other",
    },
    { what: "somebody else later in the text", content: "hi <@1001>", place: thread, addressed: "none" },
    {
      what: "a reply that notifies somebody else",
      content: "yes",
      extra: reply(bob, [bob]),
      place: thread,
      addressed: "other",
    },
    { what: "a reply that notifies nobody", content: "yes", extra: reply(bob, []), place: thread, addressed: "none" },
    { what: "a reply to oneself", content: "also", extra: reply(ana, [ana]), place: thread, addressed: "none" },
    { what: "a reply to the bot", content: "yes", extra: reply(bot, [bot]), place: thread, addressed: "mention" },
    { what: "nobody, in a voice channel's chat", content: "hi", place: voice, addressed: "other" },
    {
      what: "the bot, by a reply in a voice channel's chat that notifies nobody",
      content: "yes",
      extra: reply(bot, []),
      place: voice,
      addressed: "mention",
    },
    { what: "a direct message", content: "hi", place: dm, addressed: "dm" },
    { what: "a direct message that mentions the bot", content: "<@100> hi", place: dm, addressed: "dm" },
  ])("$what", ({ content, extra, place, addressed, opensThread = false }) => {
    expect(read(content, extra, place)).toMatchObject({ addressed, opensThread });
  });
});

test.each<[string, ChannelContext, string | null]>([
  ["a channel: the message's own id", channel, ID],
  ["a thread: the thread", thread, "301"],
  ["a voice channel's chat: none", voice, null],
  ["direct messages: none", dm, null],
])("the thread of a message in %s", (_name, place, threadId) => {
  expect(read("<@100> hi", {}, place).thread).toEqual({
    platform: "discord",
    workspaceId: place.workspace.id,
    channelId: place.channel.id,
    threadId,
  });
});

test("its key, time and id are the message's", () => {
  expect(read("<@100> hi")).toMatchObject({ key: `discord:${ID}`, at: AT, messageId: ID, kind: "message" });
});

describe("the author", () => {
  test.each<[string, object, object]>([
    ["by the server's name", { nick: "Captain", roles: [] }, { name: "Captain", isGuest: false, roles: [] }],
    [
      "by their own",
      { nick: null, roles: ["201", "7"] },
      { name: "Ana", roles: ["discord:role:201", "discord:role:7"] },
    ],
    ["as a guest until screened", { roles: [], pending: true }, { isGuest: true }],
    ["as a guest where they were let into a voice channel only", { roles: [], flags: 1 << 4 }, { isGuest: true }],
    ["as one of the server who has been there before", { roles: [], flags: 1 | (1 << 1) }, { isGuest: false }],
  ])("comes %s", (_name, member, person) => {
    expect(read("<@100> hi", { member }).person).toMatchObject({
      id: "discord:1000",
      isBot: false,
      isExternal: false,
      ...person,
    });
  });

  test("without a display name is called by the account's", () => {
    expect(read("hi", { author: bob }, dm).person.name).toBe("bob");
  });
});

describe("quotes, previews and attachments", () => {
  test("a reply quotes the message that it answers, without the marker of our posts", () => {
    const { mark } = postKey({ platform: "discord", workspaceId: "1", channelId: "300", threadId: null }, "k");
    const answered = { id: "5", channel_id: "300", type: 0, author: bot, content: `The port is 9090.${mark}` };
    expect(read("why?", { type: 19, referenced_message: answered }, dm).quoted).toEqual([
      "deckhand wrote, 2015-01-01 00:00 UTC: The port is 9090.",
    ]);
  });

  test("a forwarded message includes its text, previews and files", () => {
    const forwarded = {
      content: "disk full on <@1001>'s box",
      mentions: [bob],
      embeds: [{ title: "Alert", fields: [{ name: "host", value: "db1" }] }],
      attachments: [
        { id: "9", filename: "df.txt", size: 12, url: "https://cdn.example/df.txt", content_type: "text/plain" },
      ],
    };
    const event = read("<@100> look", { message_snapshots: [{ message: forwarded }] });
    expect(event.quoted).toEqual(["Forwarded: disk full on @bob's box\nAlert\nhost: db1\n[file: df.txt]"]);
    expect(event.attachments).toMatchObject([{ name: "df.txt", mediaType: "text/plain", size: 12 }]);
  });

  test("previews, polls and stickers are described in text", () => {
    const event = read("<@100> hm", {
      embeds: [
        {
          author: { name: "CI" },
          title: "Build 7",
          url: "https://ci.example/7",
          description: "failed",
          footer: { text: "main" },
        },
        {},
      ],
      poll: {
        question: { text: "Deploy?" },
        answers: [{ poll_media: { text: "yes" } }, { poll_media: { text: "no" } }],
      },
      sticker_items: [{ name: "shipit" }],
    });
    expect(event.quoted).toEqual([
      "CI\nBuild 7\nhttps://ci.example/7\nfailed\nmain",
      "Poll: Deploy?\n- yes\n- no",
      "[sticker: shipit]",
    ]);
  });

  test("a file's alternative text is stated beside its name", () => {
    const file = { filename: "a.png", size: 3, url: "https://cdn.example/a.png" };
    const attachments = [
      { ...file, id: "9", description: "the red graph" },
      { ...file, id: "10", filename: "b.png" },
    ];
    expect(read("<@100> see", { attachments }).quoted).toEqual(["[file: a.png: the red graph]"]);
  });

  test("a file of unknown type has the media type application/octet-stream", () => {
    const attachments = [{ id: "9", filename: "core", size: 3, url: "https://cdn.example/core?ex=1" }];
    expect(read("<@100> see", { attachments }).attachments).toEqual([
      {
        name: "core",
        mediaType: "application/octet-stream",
        size: 3,
        ref: `https://cdn.example/core?ex=1#300/${ID}`,
      },
    ]);
  });
});

test.each<[string, object]>([
  ["a bot", { author: { ...bob, bot: true } }],
  ["a webhook", { webhook_id: "77" }],
  ["a join", { type: 7 }],
  ["a pin", { type: 6 }],
  ["a thread's first notice", { type: 21 }],
  ["an answer to a slash command", { type: 20 }],
])("%s is ignored", (_name, extra) => {
  expect(inboundMessage(wire("<@100> hi", extra), channel, { names, serves: () => true })).toBeNull();
});

test("the history describes files in text and includes the thread's root message", () => {
  const root = { id: "5", channel_id: "300", type: 0, author: bob, content: "it is slow" };
  expect(threadMessage(wire("", { type: 21, referenced_message: root }), names)).toMatchObject({
    messageId: "5",
    text: "it is slow",
  });
  expect(threadMessage(wire("", { type: 21, referenced_message: null }), names)).toBeNull();
  expect(threadMessage(wire("", { type: 7 }), names)).toBeNull();
  const attachments = [{ id: "9", filename: "log.txt", size: 3, url: "https://cdn.example/log.txt" }];
  expect(threadMessage(wire("see", { attachments }), names)?.text).toBe("see\n[file: log.txt]");
});

test.each<[string, CommandOption[], string]>([
  ["nothing", [], ""],
  ["a value", [{ name: "name", value: "code-review" }], "code-review"],
  [
    "values in order",
    [
      { name: "name", value: "code-review" },
      { name: "args", value: "src/ --deep" },
    ],
    "code-review src/ --deep",
  ],
  ["a subcommand", [{ name: "list", options: [] }], "list"],
  [
    "a subcommand's flags",
    [
      {
        name: "add",
        options: [
          { name: "name", value: 'Daily "report"' },
          { name: "cron", value: "0 9 * * 1-5" },
          { name: "timeout", value: 300 },
          { name: "on", value: true },
        ],
      },
    ],
    String.raw`add --name "Daily \"report\"" --cron "0 9 * * 1-5" --timeout 300 --on true`,
  ],
  ["a group", [{ name: "a", options: [{ name: "b", options: [{ name: "args", value: "c d" }] }] }], "a b c d"],
])("a command's options with %s read %s", (_name, options, text) => {
  expect(commandArguments(options)).toBe(text);
});

test("content of a person who is not served is not read", () => {
  const asked = wire("<@100> read this", { attachments: [] });
  const event = inboundMessage(asked, channel, { names, serves: () => false });
  expect(event).toMatchObject({ addressed: "mention", text: "", quoted: [], attachments: [] });
});
