import { ALERTMANAGER, GRAFANA, mrkdwn, PULL_REQUEST, plain, SENTRY_ISSUE, section } from "./slack-alerts.ts";

/**
 * Messages as Slack and integrations make them, rewritten from public samples (Slack's docs and SDKs, the templates of
 * Alertmanager, GitHub's app, Sentry, PagerDuty, Grafana), each with what a model must receive of it.
 */
export interface SlackSample {
  readonly name: string;
  readonly message: Readonly<Record<string, unknown>>;
  /** Parts that the text, including quoted text, must contain in this order. */
  readonly says: readonly string[];
  /** Names of the message's files. */
  readonly files?: readonly string[];
}

const written = (...elements: object[]) => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements }],
});

const BOBS_LOG = { id: "F0LOG", name: "crash.log", mimetype: "text/plain", size: 31, url_private: "https://files/log" };

export const SLACK_SAMPLES: readonly SlackSample[] = [
  {
    name: "an alert of Alertmanager's",
    message: ALERTMANAGER,
    says: [
      "[[FIRING:2] HighErrorRate api (critical)](http://alerts",
      "7.4 %",
      "https://runbooks.example/errors",
      "Severity: critical",
      "prometheus-eu-1",
    ],
  },
  {
    name: "a pull request of GitHub's app",
    message: PULL_REQUEST,
    says: [
      "opened by [ana](https://github.example/ana)",
      "#42 Retry the payment call",
      "one in a hundred connections & we",
      "Labels: bug, payments",
      "[Comment]",
      "https://github.example/acme/api",
    ],
  },
  {
    name: "an issue of Sentry's",
    message: SENTRY_ISSUE,
    says: [
      "[*TypeError*](https://sentry.example/issues/7",
      "checkout/charge.ts",
      "reading 'amount' of <undefined>",
      "api@3.1.4",
      "*New*",
      "[Resolve]",
      "API-7",
    ],
  },
  {
    name: "an incident of PagerDuty's",
    message: {
      bot_id: "B0PD",
      text: "Triggered: API down",
      blocks: [
        section("*<https://acme.pagerduty.example/incidents/Q1|API down (#812)>*"),
        {
          type: "section",
          fields: [mrkdwn("*Service:*\n<https://acme.pagerduty.example/services/P1|api>"), mrkdwn("*Urgency:*\nhigh")],
          accessory: { type: "button", action_id: "a", text: plain("View"), url: "https://acme.pagerduty.example/Q1" },
        },
        {
          type: "context",
          elements: [
            { type: "image", image_url: "https://img.example/p.png", alt_text: "pd" },
            mrkdwn("Assigned to <@U0ANA>"),
          ],
        },
      ],
    },
    says: ["API down (#812)", "*Service:*", "[api](", "high", "[View](https://acme", "[image: pd] Assigned to @ana"],
  },
  {
    name: "an alert of a Grafana that does not know its own address",
    message: GRAFANA,
    says: ["@here", "\n[FIRING:1] DiskFull Storage\nValue: B=22\nhost: 7.5\nGrafana v12"],
  },
  {
    name: "a panel of Grafana's, whose picture lies in Slack",
    message: {
      bot_id: "B0GRAFANA",
      text: "[Alerting] Disk",
      attachments: [
        {
          color: "#D63232",
          fallback: "[no preview available]",
          blocks: [
            { type: "header", text: plain("[Alerting] Disk is full") },
            { type: "image", alt_text: "Disk usage", slack_file: { id: "F0PANEL" } },
          ],
        },
      ],
    },
    says: ["[Alerting] Disk", "Disk is full", "[image: Disk usage]"],
    files: ["Disk usage"],
  },
  {
    name: "a forwarded message with a file",
    message: {
      user: "U0ANA",
      text: "any idea?",
      attachments: [
        {
          id: 1,
          ts: "1700000000.000100",
          is_msg_unfurl: true,
          is_share: true,
          author_id: "U0BOB",
          author_name: "bob",
          author_subname: "Bob B.",
          channel_id: "C0002",
          channel_name: "deploys",
          channel_team: "T0001",
          from_url: "https://acme.slack.example/archives/C0002/p1700000000000100",
          footer: "Posted in #deploys",
          fallback: "[November 14th, 2023 10:13 PM] bob: it died &lt;here&gt;",
          text: "it died &lt;here&gt;, <@U0ANA>",
          files: [BOBS_LOG],
          mrkdwn_in: ["text"],
          message_blocks: [
            {
              team: "T0001",
              channel: "C0002",
              ts: "1700000000.000100",
              message: {
                blocks: [written({ type: "text", text: "it died <here>, " }, { type: "user", user_id: "U0ANA" })],
              },
            },
          ],
        },
      ],
    },
    says: ["any idea?", "bob wrote in #deploys", "it died <here>, @ana"],
    files: ["crash.log"],
  },
  {
    name: "a forward of a message that has only blocks",
    message: {
      text: "",
      attachments: [
        {
          is_share: true,
          author_name: "Jenkins",
          text: "",
          fallback: "[no preview available]",
          message_blocks: [{ message: { blocks: [section("Build *812* failed")] } }],
        },
      ],
    },
    says: ["Jenkins wrote", "Build *812* failed"],
  },
  {
    name: "a link that Slack shows",
    message: {
      text: "<https://status.example>",
      attachments: [
        {
          from_url: "https://status.example",
          original_url: "https://status.example",
          service_name: "Status",
          title: "All systems",
          title_link: "https://status.example",
          text: "Degraded: payments",
          thumb_url: "https://status.example/t.png",
        },
      ],
    },
    says: ["https://status.example", "Status", "[All systems](", "Degraded: payments"],
  },
  {
    name: "what people write, with every element of it",
    message: {
      text: "",
      blocks: [
        {
          type: "rich_text",
          elements: [
            {
              type: "rich_text_section",
              elements: [
                { type: "text", text: "ask ", style: { bold: true } },
                { type: "user", user_id: "U0ANA" },
                { type: "text", text: " in " },
                { type: "channel", channel_id: "C0001" },
                { type: "text", text: " or " },
                { type: "usergroup", usergroup_id: "S01" },
                { type: "emoji", name: "wave" },
                { type: "link", url: "https://a.example", text: "docs" },
                { type: "broadcast", range: "here" },
                { type: "date", timestamp: 1_700_000_000, format: "{date}", fallback: "Nov 14" },
                { type: "color", value: "#ff0000" },
                { type: "hologram", text: "new & odd" },
              ],
            },
            {
              type: "rich_text_list",
              style: "ordered",
              offset: 2,
              elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "third" }] }],
            },
            {
              type: "rich_text_list",
              style: "bullet",
              indent: 1,
              elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "inner" }] }],
            },
            { type: "rich_text_quote", elements: [{ type: "text", text: "said\nso" }] },
            { type: "rich_text_preformatted", elements: [{ type: "text", text: "a < b" }] },
          ],
        },
      ],
    },
    says: [
      "*ask* @ana in #ops(C0001) or @group S01:wave:[docs](https://a.example)@here2023-11-14#ff0000new & odd",
      "3. third",
      "  - inner",
      "> said\n> so",
      "```\na < b\n```",
    ],
  },
  {
    name: "tables, cards, plans and figures",
    message: {
      text: "Report",
      blocks: [
        {
          type: "table",
          rows: [
            [
              { type: "raw_text", text: "host" },
              { type: "raw_text", text: "load" },
            ],
            [written({ type: "text", text: "db-1" }), { type: "raw_number", value: 9.5 }],
          ],
        },
        {
          type: "plan",
          title: "Roll back",
          tasks: [
            { type: "task_card", task_id: "1", title: "Drain", details: written({ type: "text", text: "eu-1 first" }) },
          ],
        },
        { type: "carousel", elements: [{ type: "card", title: mrkdwn("Card one"), body: mrkdwn("Its body") }] },
        { type: "container", title: plain("Group"), child_blocks: [section("inside")] },
        { type: "alert", text: mrkdwn("Beware"), level: "warning" },
        {
          type: "video",
          title: plain("Talk"),
          title_url: "https://v.example",
          alt_text: "v",
          description: plain("ten minutes"),
        },
        { type: "divider" },
        { type: "markdown", text: "**bold**" },
      ],
    },
    says: [
      "| host | load |\n| db-1 | 9.5 |",
      "Roll back\nDrain\neu-1 first",
      "Card one\nIts body",
      "Group\ninside",
      "Beware",
      "[Talk](https://v.example)\nten minutes",
      "**bold**",
    ],
  },
  {
    name: "a block that nobody knows yet, beside its fallback",
    message: {
      text: "CPU 91 %",
      blocks: [{ type: "data_visualization", chart: { series: [1, 2] }, title: plain("Load") }],
    },
    says: ["CPU 91 %", "Load"],
  },
  {
    name: "a screenshot and a snippet",
    message: {
      text: "",
      subtype: "file_share",
      files: [
        { id: "F1", name: "error.png", mimetype: "image/png", size: 8, url_private: "https://files/1" },
        {
          id: "F2",
          mode: "snippet",
          title: "trace",
          name: "trace.txt",
          mimetype: "text/plain",
          size: 4,
          url_private: "https://files/2",
        },
      ],
    },
    says: [],
    files: ["error.png", "trace.txt"],
  },
  {
    name: "a voice message that Slack has written down, and one that is longer",
    message: {
      text: "",
      files: [
        {
          id: "F1",
          subtype: "slack_audio",
          name: "audio_message.m4a",
          mimetype: "audio/mp4",
          size: 5,
          url_private: "https://files/1",
          transcription: {
            status: "complete",
            locale: "en-US",
            preview: { content: "restart the api", has_more: false },
          },
        },
        {
          id: "F2",
          subtype: "slack_video",
          name: "clip.mp4",
          mimetype: "video/mp4",
          size: 5,
          url_private: "https://files/2",
          vtt: "https://files/2.vtt",
          transcription: { status: "complete", preview: { content: "first open", has_more: true } },
        },
      ],
    },
    says: [
      "[voice message, as Slack wrote it down: restart the api]",
      "[video message, as Slack wrote it down: first open…]",
    ],
    files: ["audio_message.m4a", "clip.mp4", "clip.mp4.vtt"],
  },
  {
    name: "a voice message that Slack is still writing down, and one that it does not",
    message: {
      text: "",
      files: [
        { id: "F1", subtype: "slack_audio", name: "a.m4a", transcription: { status: "processing" } },
        { id: "F2", subtype: "slack_audio", name: "b.m4a", transcription: { status: "failed" } },
      ],
    },
    says: ["[voice message, which Slack has not written down yet]", "[voice message, not written down by Slack]"],
    files: ["a.m4a", "b.m4a"],
  },
  {
    name: "files that are not there",
    message: {
      text: "see",
      files: [
        { id: "F1", mode: "tombstone" },
        { id: "F2", mode: "hidden_by_limit", name: "old.txt" },
        {
          id: "F3",
          is_external: true,
          external_type: "gdrive",
          name: "Budget",
          url_private: "https://docs.example/d/1",
        },
        { id: "F4", file_access: "check_file_info", name: "theirs.txt", mimetype: "text/plain" },
      ],
    },
    says: ["see", "deleted", "old.txt, which the workspace's plan hides", "[Budget](https://docs.example/d/1)"],
    files: ["theirs.txt"],
  },
  {
    name: "an email that was forwarded to the channel",
    message: {
      text: "",
      files: [
        {
          id: "F1",
          filetype: "email",
          name: "Outage",
          title: "Outage",
          subject: "Outage at 9",
          from: [{ address: "noc@host.example", original: "NOC <noc@host.example>" }],
          plain_text: "Rack 4 is dark.",
          mimetype: "text/html",
          size: 3,
          url_private: "https://files/1",
        },
      ],
    },
    says: ["NOC <noc@host.example>", "Outage at 9", "Rack 4 is dark."],
    files: ["Outage"],
  },
];
