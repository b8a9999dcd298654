/**
 * Messages of integrations: in the shapes of their public templates and samples, with words written for these tests.
 */

export const mrkdwn = (text: string) => ({ type: "mrkdwn", text });
export const plain = (text: string) => ({ type: "plain_text", text, emoji: true });
export const section = (text: string) => ({ type: "section", text: mrkdwn(text) });
export const ALERTMANAGER = {
  subtype: "bot_message",
  username: "Alertmanager",
  bot_id: "B0ALERT",
  text: "",
  attachments: [
    {
      id: 1,
      color: "a30200",
      fallback: "[FIRING:2] HighErrorRate api (critical) | http://alerts.example:9093/#/alerts?receiver=ops",
      title: "[FIRING:2] HighErrorRate api (critical)",
      title_link: "http://alerts.example:9093/#/alerts?receiver=ops",
      text: "*Summary:* 7.4 % of requests fail\n*Runbook:* <https://runbooks.example/errors|errors>",
      fields: [{ title: "Severity", value: "critical", short: true }],
      footer: "prometheus-eu-1",
      mrkdwn_in: ["fallback", "pretext", "text"],
    },
  ],
} as const;

export const PULL_REQUEST = {
  user: "U0GITHUB",
  bot_id: "B0GITHUB",
  bot_profile: { id: "B0GITHUB", name: "GitHub", app_id: "A0GITHUB" },
  text: "",
  attachments: [
    {
      id: 1,
      color: "36a64f",
      pretext: "Pull request opened by <https://github.example/ana|ana>",
      title: "<https://github.example/acme/api/pull/42|#42 Retry the payment call>",
      text: "The gateway drops one in a hundred connections &amp; we give up.",
      fallback: "[acme/api] Pull request opened by ana",
      fields: [{ title: "Labels", value: "bug, payments", short: false }],
      footer: "<https://github.example/acme/api|acme/api>",
      footer_icon: "https://slack.github.example/static/img/favicon.png",
      ts: 1_700_000_000,
      actions: [{ id: "1", name: "comment", text: "Comment", type: "button", value: "c" }],
    },
  ],
} as const;

export const GRAFANA = {
  subtype: "bot_message",
  username: "Grafana",
  bot_id: "B0GRAFANA",
  text: "",
  blocks: [section("<!here|here>")],
  attachments: [
    {
      id: 1,
      color: "D63232",
      fallback: "[FIRING:1] DiskFull Storage ",
      title: "[FIRING:1] DiskFull Storage ",
      title_link: "?orgId=1",
      text: "Value: B=22\n",
      fields: [{ title: "host", value: 7.5, short: true }],
      footer: "Grafana v12.2.1",
      footer_icon: "https://grafana.example/fav32.png",
      ts: 1_700_000_000,
    },
  ],
} as const;

export const SENTRY_ISSUE = {
  user: "U0SENTRY",
  bot_id: "B0SENTRY",
  bot_profile: { name: "Sentry" },
  text: "[api] TypeError: cannot read properties of undefined",
  blocks: [
    section(":red_circle: <https://sentry.example/issues/7/?referrer=slack|*TypeError*>"),
    section("in checkout/charge.ts"),
    {
      type: "rich_text",
      elements: [
        { type: "rich_text_preformatted", elements: [{ type: "text", text: "reading 'amount' of <undefined>" }] },
      ],
    },
    section("environment: `production`  release: `api@3.1.4`  "),
    { type: "context", elements: [mrkdwn("State: *New*   First Seen: *4 minutes ago*")] },
    {
      type: "actions",
      elements: [
        { type: "button", action_id: "resolve", text: plain("Resolve"), value: "resolve" },
        { type: "static_select", action_id: "assign", placeholder: plain("Select Assignee...") },
      ],
    },
    { type: "context", elements: [mrkdwn("Project: <https://sentry.example/api/|api>    Short ID: API-7")] },
  ],
} as const;
