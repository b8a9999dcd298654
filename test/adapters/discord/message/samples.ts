/**
 * Messages in Discord's shapes, taken from its OpenAPI description, its documentation and the tests of public
 * libraries; their words were written for these tests.
 */

export const BOT = { id: "100", username: "deckhand", bot: true };
export const ANA = { id: "1000", username: "ana_99", global_name: "Ana", avatar: null, discriminator: "0", flags: 64 };
export const BOB = { id: "1001", username: "bob", global_name: null, avatar: "a_1", public_flags: 0 };
const webhook = (username: string) => ({ id: "700", username, avatar: null, discriminator: "0000", bot: true });

/** An empty message with all required fields. */
export function sample(parts: object = {}): Record<string, unknown> {
  return {
    type: 0,
    id: "1245547226726400000",
    channel_id: "300",
    author: ANA,
    content: "",
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    attachments: [],
    embeds: [],
    components: [],
    timestamp: "2024-05-30T01:20:00.000000+00:00",
    edited_timestamp: null,
    flags: 0,
    pinned: false,
    tts: false,
    ...parts,
  };
}

export function file(name: string, more: object = {}) {
  const path = `attachments/300/900/${name}`;
  return {
    id: "900",
    filename: name,
    size: 12,
    url: `https://cdn.discordapp.com/${path}?ex=66&is=65&hm=0a`,
    proxy_url: `https://media.discordapp.net/${path}?ex=66`,
    ...more,
  };
}

function shown(name: string) {
  const { url, proxy_url } = file(name);
  return { id: "901", url, proxy_url, width: 640, height: 480, content_type: "image/png", loading_state: 2 };
}

export const ALERTMANAGER = sample({
  author: webhook("Alertmanager"),
  webhook_id: "700",
  embeds: [
    {
      type: "rich",
      title: "[FIRING:1] HighLatency (api prod critical)",
      url: "http://alerts.example:9093/#/alerts?receiver=discord",
      description:
        "**Alerts Firing**:\nLabels:\n - alertname = HighLatency\n - job = api\nAnnotations:\n - summary = p99 over 2 s",
      color: 10_038_562,
      content_scan_version: 0,
    },
  ],
});

export const PULL_REQUEST = sample({
  author: webhook("GitHub"),
  webhook_id: "700",
  embeds: [
    {
      type: "rich",
      title: "[acme/harbour] Pull request opened: #412 Raise the pool to 40",
      url: "https://github.example/acme/harbour/pull/412",
      description: "The pool runs dry at noon.",
      color: 38_912,
      author: { name: "bob", url: "https://github.example/bob", icon_url: "https://github.example/bob.png" },
    },
  ],
});

export const SENTRY = sample({
  author: { id: "701", username: "Sentry", bot: true },
  embeds: [
    {
      type: "rich",
      title: "TimeoutError",
      url: "https://sentry.example/issues/77",
      description: "pool exhausted after 30 s",
      fields: [
        { name: "Events", value: "31", inline: true },
        { name: "First Seen", value: "<t:1717032000:R>", inline: true },
      ],
      footer: { text: "HARBOUR-1A via too many errors", icon_url: null },
      timestamp: "2024-05-30T01:19:00+00:00",
    },
  ],
  components: [
    {
      type: 1,
      id: 1,
      components: [
        { type: 2, id: 2, style: 2, custom_id: "resolve", label: "Resolve" },
        { type: 2, id: 3, style: 5, label: "Open", url: "https://sentry.example/issues/77" },
      ],
    },
  ],
});

const container = {
  type: 17,
  id: 1,
  accent_color: 16_711_680,
  spoiler: false,
  components: [
    { type: 10, id: 2, content: "# Deploy 7 failed\n<@1001> broke <#300>" },
    { type: 14, id: 3, spacing: 1, divider: true },
    {
      type: 9,
      id: 4,
      components: [{ type: 10, id: 5, content: "Step: migrate" }],
      accessory: { type: 11, id: 6, media: shown("logo.png"), description: "the logo", spoiler: false },
    },
    { type: 12, id: 7, items: [{ media: shown("graph.png"), description: null, spoiler: false }] },
    {
      type: 13,
      id: 8,
      file: { ...shown("build.log"), content_type: "text/plain" },
      name: "build.log",
      size: 42,
      spoiler: false,
    },
    {
      type: 1,
      id: 9,
      components: [
        {
          type: 3,
          id: 10,
          custom_id: "to",
          placeholder: "Roll back to",
          min_values: 1,
          max_values: 1,
          options: [
            { label: "6", value: "6" },
            { label: "5", value: "5" },
          ],
        },
      ],
    },
  ],
};

export const CARD = sample({
  author: webhook("CI"),
  webhook_id: "700",
  flags: 32_768,
  mentions: [BOB],
  components: [container],
});

export const poll = {
  question: { text: "Deploy today?" },
  answers: [
    { answer_id: 1, poll_media: { text: "yes", emoji: { id: null, name: "🚀" } } },
    { answer_id: 2, poll_media: { text: "no" } },
    { answer_id: 3, poll_media: { emoji: { id: "88", name: "platy" } } },
  ],
  expiry: "2024-06-01T00:00:00.000000+00:00",
  allow_multiselect: false,
  layout_type: 1,
  results: {
    is_finalized: true,
    answer_counts: [
      { id: 1, count: 45, me_voted: false },
      { id: 2, count: 1, me_voted: true },
    ],
  },
};
export const POLL = sample({ poll });

const forwardedAlert = {
  type: 0,
  content: "disk full on <@1001>'s box",
  mentions: [BOB],
  mention_roles: [],
  attachments: [file("df.txt", { content_type: "text/plain; charset=utf-8" })],
  embeds: [{ type: "rich", title: "Alert", fields: [{ name: "host", value: "db1", inline: true }] }],
  timestamp: "2024-05-30T01:00:00.000000+00:00",
  edited_timestamp: null,
  flags: 0,
  components: [],
};
export const FORWARD = sample({
  flags: 16_384,
  message_reference: { type: 1, channel_id: "301", message_id: "5", guild_id: "1" },
  message_snapshots: [{ message: forwardedAlert }],
});

export const SCREENSHOT = sample({
  author: BOB,
  attachments: [file("shot.png", { content_type: "image/png", width: 10, height: 10, description: "a red graph" })],
});

export const VOICE = sample({
  flags: 8_192,
  attachments: [file("voice-message.ogg", { content_type: "audio/ogg", duration_secs: 12.4, waveform: "AA==" })],
});

export const COMMAND_ANSWER = sample({
  type: 20,
  author: { id: "702", username: "Pager", bot: true },
  content: "On call: Bob",
  interaction: { id: "6", type: 2, name: "oncall", user: ANA },
  interaction_metadata: { id: "6", type: 2, user: ANA, authorizing_integration_owners: { "0": "1" } },
});

export const POLL_RESULT = sample({
  type: 46,
  embeds: [
    {
      type: "poll_result",
      fields: [
        { name: "poll_question_text", value: "Deploy today?", inline: false },
        { name: "victor_answer_votes", value: "45", inline: false },
        { name: "total_votes", value: "46", inline: false },
        { name: "victor_answer_id", value: "1", inline: false },
        { name: "victor_answer_text", value: "yes", inline: false },
      ],
    },
  ],
});
