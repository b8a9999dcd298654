import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageSchema } from "../../../../src/adapters/discord/message/message-schema.ts";
import { readMessage, threadMessage } from "../../../../src/adapters/discord/message/read-message.ts";
import type { Names } from "../../../../src/adapters/discord/message/text.ts";
import {
  ALERTMANAGER,
  ANA,
  BOB,
  BOT,
  CARD,
  COMMAND_ANSWER,
  FORWARD,
  file,
  POLL,
  POLL_RESULT,
  PULL_REQUEST,
  poll,
  SCREENSHOT,
  SENTRY,
  sample,
  VOICE,
} from "./samples.ts";

const names: Names = {
  botId: BOT.id,
  isBotRole: (id) => id === "200",
  role: (id) => (id === "201" ? "ops" : undefined),
  channel: (id) => ({ "300": "general", "301": "alerts" })[id],
  sound: (id) => (id === "400" ? "airhorn" : undefined),
};

const inThread = (message: unknown) => threadMessage(messageSchema.parse(message), names);
const reply = (answered: object | null) => sample({ type: 19, content: "<@100> why?", referenced_message: answered });
const said = (content: string) => sample({ content, mentions: [BOT, BOB] });

const ALERT_TEXT = [
  "[FIRING:1] HighLatency (api prod critical)",
  "http://alerts.example:9093/#/alerts?receiver=discord",
  "**Alerts Firing**:\nLabels:\n - alertname = HighLatency\n - job = api\nAnnotations:\n - summary = p99 over 2 s",
  "[marked red]",
].join("\n");

/** Messages with the text that each becomes in its thread's history, and the names of its files. */
type Sample = readonly [name: string, message: unknown, text: string, files: readonly string[]];
const corpus: readonly Sample[] = [
  ["an alert of Alertmanager's", ALERTMANAGER, ALERT_TEXT, []],
  [
    "a pull request by GitHub's webhook",
    PULL_REQUEST,
    "[bob](https://github.example/bob)\n[acme/harbour] Pull request opened: #412 Raise the pool to 40\nhttps://github.example/acme/harbour/pull/412\nThe pool runs dry at noon.\n[marked green]",
    [],
  ],
  [
    "an issue of Sentry's, with its buttons",
    SENTRY,
    "TimeoutError\nhttps://sentry.example/issues/77\npool exhausted after 30 s\nEvents: 31\nFirst Seen: 2024-05-30 01:20 UTC\n" +
      "HARBOUR-1A via too many errors\n2024-05-30T01:19:00+00:00\n[button: Resolve]\n[button: Open https://sentry.example/issues/77]",
    [],
  ],
  [
    "a card of components",
    CARD,
    "[marked red]\n# Deploy 7 failed\n@bob broke #general\nStep: migrate\n[image: logo.png: the logo]\n[image: graph.png]\n[file: build.log]\n[menu: Roll back to: 6, 5]",
    ["logo.png", "graph.png", "build.log"],
  ],
  [
    "a poll",
    POLL,
    "Poll: Deploy today?\n- 🚀 yes: 45 votes\n- no: 1 vote\n- platy: 0 votes\n[The poll has ended.]",
    [],
  ],
  [
    "a poll that goes on, whose votes are unknown",
    sample({ poll: { ...poll, results: undefined } }),
    "Poll: Deploy today?\n- 🚀 yes\n- no\n- platy\n[The poll ends 2024-06-01 00:00 UTC.]",
    [],
  ],
  ["the end of a poll", POLL_RESULT, "[The poll “Deploy today?” ended: “yes” with 45 of 46 votes]", []],
  [
    "a forward",
    FORWARD,
    "Forwarded from #alerts, 2024-05-30 01:00 UTC: disk full on @bob's box\nAlert\nhost: db1\n[file: df.txt]",
    ["df.txt"],
  ],
  ["a screenshot", SCREENSHOT, "[file: shot.png: a red graph]", ["shot.png"]],
  ["a voice message", VOICE, "[voice message, 12 s]\n[file: voice-message.ogg]", ["voice-message.ogg"]],
  ["an answer to a slash command", COMMAND_ANSWER, "On call: Bob\n[answer to /oncall, used by Ana]", []],
  [
    "buttons with nothing but an emoji",
    sample({ components: [{ type: 1, components: [{ type: 2, custom_id: "up", emoji: { id: null, name: "👍" } }] }] }),
    "[button: 👍]",
    [],
  ],
  [
    "fields that keep others apart",
    sample({
      embeds: [
        {
          fields: [
            { name: "\u200b", value: "left" },
            { name: "\u200b", value: "\u200b" },
          ],
        },
      ],
    }),
    "left",
    [],
  ],
  [
    "a reply to somebody whom the server calls otherwise",
    { ...reply(SCREENSHOT), mentions: [{ ...BOB, member: { nick: "Captain", roles: [] } }] },
    "why?\nCaptain wrote, 2024-05-30 01:20 UTC: [file: shot.png: a red graph]",
    ["shot.png"],
  ],
  [
    "a preview with where it is from",
    sample({ embeds: [{ type: "video", provider: { name: "YouTube", url: "https://y.example" }, title: "Talk" }] }),
    "[YouTube](https://y.example)\nTalk",
    [],
  ],
  [
    "the small picture of a card, and not of a preview",
    sample({
      embeds: [
        { type: "rich", title: "Disk", thumbnail: { url: "https://x.example/disk.png" } },
        { type: "article", title: "News", thumbnail: { url: "https://x.example/news.png" } },
      ],
    }),
    "Disk\n[image: disk.png]\nNews",
    [],
  ],
  [
    "a picture of a card with what it is said to show",
    sample({
      embeds: [{ type: "rich", image: { url: "https://x.example/load.png", description: "load doubles at noon" } }],
    }),
    "[image: load.png: load doubles at noon]",
    [],
  ],
  [
    "a preview that its page lays out itself",
    sample({
      content: "see https://status.example/42",
      embeds: [
        {
          type: "rich",
          url: "https://status.example/42",
          components: [
            {
              type: 17,
              id: 1,
              accent_color: null,
              spoiler: false,
              components: [
                {
                  type: 9,
                  id: 2,
                  components: [{ type: 10, id: 3, content: "## Incident 42\nThe queue stands still." }],
                  accessory: {
                    type: 11,
                    id: 4,
                    media: { url: "https://status.example/queue.png" },
                    description: "its length",
                  },
                },
                {
                  type: 1,
                  id: 5,
                  components: [{ type: 2, id: 6, style: 5, label: "Log", url: "https://status.example/log" }],
                },
              ],
            },
          ],
        },
      ],
    }),
    "see https://status.example/42\nhttps://status.example/42\n## Incident 42\nThe queue stands still.\n[image: queue.png: its length]\n[button: Log https://status.example/log]",
    [],
  ],
  [
    "a channel of the server that an announcement comes from",
    sample({ content: "<#777> is new", mention_channels: [{ id: "777", guild_id: "8", type: 0, name: "releases" }] }),
    "#releases is new",
    [],
  ],
  [
    "a file whose title says more than its name",
    sample({ attachments: [file("____.txt", { title: "日報" })] }),
    "[file: ____.txt: 日報]",
    ["____.txt"],
  ],
  [
    "a sound that the message names",
    sample({
      content: "<sound:0:1><sound:7:400>",
      soundboard_sounds: [{ sound_id: "1", name: "quack", volume: 1, emoji_name: "🦆" }, "odd"],
    }),
    "[sound: quack][sound: airhorn]",
    [],
  ],
  ["a sound of the soundboard", said("who plays <sound:1:1234567890>?"), "who plays [sound]?", []],
  ["a sticker", sample({ sticker_items: [{ id: "3", name: "shipit", format_type: 1 }] }), "[sticker: shipit]", []],
  [
    "a reply to a screenshot",
    reply(SCREENSHOT),
    "why?\nbob wrote, 2024-05-30 01:20 UTC: [file: shot.png: a red graph]",
    ["shot.png"],
  ],
  [
    "a reply to a forward",
    reply(FORWARD),
    "why?\nAna wrote, 2024-05-30 01:20 UTC: Forwarded from #alerts, 2024-05-30 01:00 UTC: disk full on @bob's box\nAlert\nhost: db1\n[file: df.txt]",
    ["df.txt"],
  ],
  ["a reply to an alert", reply(ALERTMANAGER), `why?\nAlertmanager wrote, 2024-05-30 01:20 UTC: ${ALERT_TEXT}`, []],
  [
    "a reply to a poll",
    reply(POLL),
    "why?\nAna wrote, 2024-05-30 01:20 UTC: Poll: Deploy today?\n- 🚀 yes: 45 votes\n- no: 1 vote\n- platy: 0 votes\n[The poll has ended.]",
    [],
  ],
  ["a reply to what was deleted", reply(null), "why?\n[It answers a message that was deleted.]", []],
  [
    "a picture that an embed was given",
    sample({ embeds: [{ type: "rich", image: { url: file("panel.png").url } }] }),
    "[image: panel.png]",
    ["panel.png"],
  ],
  [
    "a picture that lies elsewhere, of which Discord has a copy",
    sample({
      embeds: [
        {
          image: { url: "https://x.example/a.png", proxy_url: "https://images-ext-1.discordapp.net/external/k/a.png" },
        },
      ],
    }),
    "[image: a.png]",
    ["a.png"],
  ],
  [
    "a picture that lies elsewhere alone",
    sample({ embeds: [{ type: "rich", image: { url: "http://127.0.0.1/a.png" } }] }),
    "[image: a.png]",
    [],
  ],
  [
    "a link with a preview",
    sample({
      content: "https://x.example",
      embeds: [{ type: "link", title: "X", thumbnail: { url: "https://x.example/t" } }],
    }),
    "https://x.example\nX",
    [],
  ],
  [
    "a thread that was renamed",
    sample({ type: 4, content: "pool outage" }),
    "[Ana changed the name to “pool outage”]",
    [],
  ],
  [
    "what AutoMod caught",
    sample({
      type: 24,
      embeds: [
        {
          type: "auto_moderation_message",
          description: "buy now",
          fields: [
            { name: "rule_name", value: "No spam" },
            { name: "channel_id", value: "300" },
            { name: "decision_id", value: "9d2f" },
          ],
        },
      ],
    }),
    "[AutoMod's rule “No spam” caught what Ana wrote in #general: buy now]",
    [],
  ],
  ["a thread that somebody began", sample({ type: 18, content: "pool" }), "[Ana began the thread “pool”]", []],
  ["a message of a type to come", sample({ type: 999, content: "new" }), "new", []],
  [
    "a component of a type to come",
    sample({ components: [{ type: 99, label: "Rating", components: [{ type: 10, content: "5 of 5" }] }] }),
    "Rating\n5 of 5",
    [],
  ],
  [
    "times",
    said("since <t:1717032000:R>, due <t:1717032000:D>, at <t:1717032000>, <t:9999999999999>"),
    "since 2024-05-30 01:20 UTC, due 2024-05-30, at 2024-05-30 01:20 UTC, <t:9999999999999>",
    [],
  ],
  [
    "names",
    said("<@100> <@1001> <@!1001> <@&201> <#300> <:party:12> <a:wave:13> </jobs add:14> <id:guide>"),
    "@bob @bob @ops #general :party: :wave: /jobs add Server Guide",
    [],
  ],
];

test.each(corpus)("%s", (...[, message, text, files]) => {
  const read = inThread(message);
  expect(read?.text).toBe(text);
  expect((read?.attachments ?? []).map(({ name }) => name)).toEqual(files);
});

test.each([1, 2, 3, 5, 6, 7, 8, 12, 22, 25, 29, 38])("a system message of type %i is ignored", (type) => {
  expect(inThread(sample({ type, content: "x" }))).toBeNull();
});

test("a person's own text is separate from quoted content, and files of both are included", () => {
  const { text, quoted, files } = readMessage(
    messageSchema.parse({
      ...reply(SCREENSHOT),
      attachments: [file("mine.txt", { url: "https://cdn.discordapp.com/m" })],
    }),
    names,
  );
  expect(text).toBe("why?");
  expect(quoted).toEqual(["bob wrote, 2024-05-30 01:20 UTC: [file: shot.png: a red graph]"]);
  expect(files.map(({ name }) => name)).toEqual(["mine.txt", "shot.png"]);
});

test("a webhook's message has no person as author", () => {
  expect(inThread(sample({ webhook_id: "700", content: "done" }))?.author.isBot).toBe(true);
});

test("the bot's own buttons are not part of its text", () => {
  expect(inThread({ ...SENTRY, author: BOT })?.text).not.toContain("[button");
});

describe("unknown data from Discord", () => {
  const every = corpus.map(([, message]) => message);
  /** The path of keys to every value in a payload. */
  const placesIn = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...placesIn(inner, [...path, key])])
      : [];
  const replaced = (value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown => {
    if (key === undefined) return by;
    if (Array.isArray(value))
      return value.map((each, index) => (String(index) === key ? replaced(each, rest, by) : each));
    return typeof value === "object" && value !== null
      ? { ...value, [key]: replaced(Reflect.get(value, key), rest, by) }
      : value;
  };
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant({ type: 1_000, components: [{ type: 10 }] }));

  test("an invalid value anywhere in a message leaves the rest of it readable", () => {
    const changed = fc
      .constantFrom(...every)
      .chain((message) => fc.tuple(fc.constant(message), fc.constantFrom(...placesIn(message)), odd));
    fc.assert(
      fc.property(changed, ([message, path, value]) => {
        const broken = replaced(message, path, value);
        const parsed = messageSchema.safeParse(broken);
        if (path[0] !== "id") expect(parsed.success).toBe(true);
        if (parsed.data !== undefined) threadMessage(parsed.data, names);
        // The text may be lost only if the replaced value was the text itself.
        const withWords = messageSchema.safeParse({ ...Object(broken), content: "kept words", type: 0 });
        if (withWords.data !== undefined) expect(threadMessage(withWords.data, names)?.text).toContain("kept words");
      }),
      { numRuns: 2_000 },
    );
  });

  test("a message with an unreadable author is not answered", () => {
    expect(messageSchema.parse(sample({ author: { name: 7 } })).author).toMatchObject({ bot: true });
  });
});

describe("limits on length", () => {
  const N = 40_000;
  const worst = ["<", "</", "<@", "<:a", "<t:", "<t:1", "</a b", " ", "\u200b", "<id:", "[", "*", "<@1>"].map((part) =>
    part.repeat(Math.ceil(N / part.length)),
  );
  const nested = Array.from({ length: 5_000 }).reduce<object>((inner) => ({ type: 17, components: [inner] }), {
    type: 10,
  });

  test.each(worst.map((text) => [text.slice(0, 8), text] as const))(
    "text of %j is cut before it is read",
    (_name, text) => {
      const fields = Array.from({ length: 25 }, () => ({ name: text, value: text, inline: false }));
      const embed = { type: "rich", title: text, description: text, fields };
      const message = sample({ content: text, embeds: Array.from({ length: 10 }, () => embed), mentions: [ANA, BOB] });
      expect(messageSchema.parse(message).content.length).toBeLessThanOrEqual(8_000);
      expect(inThread(message)?.text.length).toBeLessThan(21_000);
    },
  );

  test("deeply nested components are read up to a limit", () => {
    expect(inThread(sample({ content: "x", components: [nested] }))?.text).toBe("x");
  });
});
