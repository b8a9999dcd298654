import { mrkdwn, plain, section } from "./slack-alerts.ts";
import type { SlackSample } from "./slack-messages.ts";

/**
 * Blocks, attachments and notices whose text is in fields of their own, according to Slack's reference, each with what
 * a reader sees.
 */

const rich = (...elements: object[]) => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements }],
});
const option = (text: object, more: object = {}) => ({ text, value: "v", ...more });
const fromBot = (...blocks: object[]) => ({ bot_id: "B0CI", text: "", blocks });

export const SLACK_ELEMENTS: readonly SlackSample[] = [
  {
    name: "a chart by its series, and one by its segments",
    message: fromBot(
      {
        type: "data_visualization",
        title: "Load",
        chart: {
          type: "line",
          series: [
            {
              name: "eu-1",
              data: [
                { label: "Mon", value: 41 },
                { label: "Tue", value: 97.5 },
              ],
            },
            { name: "us-2", data: [{ label: "Mon", value: 12 }] },
          ],
          axis_config: { categories: ["Mon", "Tue"], x_label: "Day", y_label: "Percent of all cores" },
        },
      },
      {
        type: "data_visualization",
        title: "Errors",
        chart: { type: "pie", segments: [{ label: "timeout", value: 8 }] },
      },
    ),
    says: ["Load", "Day / Percent of all cores", "eu-1: Mon: 41, Tue: 97.5", "us-2: Mon: 12", "Errors", "timeout: 8"],
  },
  {
    name: "what a bot writes in rich text, beside a short text for notifications",
    message: {
      bot_id: "B0CI",
      text: "Deploy failed",
      blocks: [rich({ type: "text", text: "api 3.2 was rolled back on eu-1" })],
    },
    says: ["api 3.2 was rolled back on eu-1"],
  },
  {
    name: "what an integration without an id of its own writes in rich text",
    message: {
      subtype: "bot_message",
      text: "Deploy failed",
      blocks: [rich({ type: "text", text: "the long story" })],
    },
    says: ["the long story"],
  },
  {
    name: "what an attachment says in rich text, beside a short text",
    message: {
      text: "",
      attachments: [{ text: "short", blocks: [rich({ type: "text", text: "the long story" })] }],
    },
    says: ["the long story"],
  },
  {
    name: "a call that one can join",
    message: fromBot({
      type: "call",
      call_id: "R1",
      call: { v1: { id: "R1", name: "War room", display_id: "123-456", join_url: "https://zoom.example/j/1" } },
    }),
    says: ["[call: [War room · 123-456](https://zoom.example/j/1)]"],
  },
  {
    name: "a huddle",
    message: {
      subtype: "huddle_thread",
      user: "USLACKBOT",
      text: "",
      room: { id: "R1", name: "", participants: [], participant_history: ["U0ANA"], has_ended: true },
    },
    says: ["[huddle with @ana, which has ended]"],
  },
  {
    name: "radio buttons and checkboxes",
    message: fromBot(
      {
        ...section("Which region?"),
        accessory: {
          type: "radio_buttons",
          options: [option(plain("eu-1")), option(mrkdwn("us-2"), { description: plain("spare") })],
          initial_option: option(plain("eu-1")),
        },
      },
      { type: "actions", elements: [{ type: "checkboxes", options: [option(plain("Drained"))] }] },
    ),
    says: ["Which region?", "[x] eu-1", "[ ] us-2: spare", "[ ] Drained"],
  },
  {
    name: "what is chosen in menus and pickers, and the hint where nothing is",
    message: fromBot({
      type: "actions",
      elements: [
        { type: "static_select", placeholder: plain("Pick"), initial_option: option(plain("Severity 2")), options: [] },
        { type: "multi_static_select", initial_options: [option(plain("api")), option(plain("web"))] },
        { type: "users_select", initial_user: "U0ANA" },
        { type: "multi_users_select", initial_users: ["U0ANA"] },
        { type: "channels_select", initial_channel: "C0001" },
        { type: "multi_conversations_select", initial_conversations: ["C0001", "U0ANA"] },
        { type: "datepicker", initial_date: "2026-01-02" },
        { type: "timepicker", initial_time: "09:30" },
        { type: "datetimepicker", initial_date_time: 1_700_000_000 },
        { type: "external_select", placeholder: plain("Assign") },
      ],
    }),
    says: [
      "[Severity 2] [api, web] [@ana] [@ana] [#ops(C0001)] [#ops(C0001), @ana]",
      "[2026-01-02] [09:30] [2023-11-14 22:13 UTC] [Assign]",
    ],
  },
  {
    name: "the options behind a button, on a card whose colour alone says that something is wrong",
    message: {
      text: "",
      attachments: [
        {
          color: "a30200",
          author_name: "kustomization/shop",
          blocks: [
            {
              type: "actions",
              elements: [
                {
                  type: "overflow",
                  options: [
                    option(plain("Runbook"), { url: "https://runbooks.example/shop" }),
                    option(plain("Snooze"), { description: plain("for an hour") }),
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
    says: ["kustomization/shop\n[Runbook](https://runbooks.example/shop) [Snooze: for an hour]\n[marked red]"],
  },
  {
    name: "fields of a form that are filled in",
    message: fromBot(
      { type: "input", label: plain("Reason"), element: { type: "plain_text_input", initial_value: "disk is full" } },
      { type: "input", label: plain("Hosts"), element: { type: "number_input", initial_value: "3" } },
      {
        type: "input",
        label: plain("Notes"),
        element: { type: "rich_text_input", initial_value: rich({ type: "text", text: "see runbook" }) },
      },
    ),
    says: ["Reason\n[disk is full]", "Hosts\n[3]", "Notes\nsee runbook"],
  },
  {
    name: "what is chosen in a menu of an attachment",
    message: {
      text: "",
      attachments: [
        {
          text: "Pick",
          actions: [{ type: "select", text: "Game", selected_options: [{ text: "Chess", value: "c" }] }],
        },
      ],
    },
    says: ["Pick\n[Game: Chess]"],
  },
  {
    name: "a file whose title and description say more than its name",
    message: {
      text: "",
      files: [
        { id: "F1", name: "image.png", title: "CPU of db-1", alt_txt: "a steep line", url_private: "https://f/1" },
      ],
    },
    says: ["[image.png: CPU of db-1; a steep line]"],
    files: ["image.png"],
  },
  {
    name: "an attachment with figures, and its time",
    message: {
      text: "",
      attachments: [
        {
          title: "Load",
          fields: [
            { title: "Value", value: 91 },
            { title: "Muted", value: false },
          ],
          footer: "pingdom",
          ts: 1_700_000_000,
        },
      ],
    },
    says: ["Load", "Value: 91", "Muted: false", "pingdom · 2023-11-14 22:13 UTC"],
  },
  {
    name: "a forward, with when it was said",
    message: {
      text: "look",
      attachments: [{ is_share: true, author_name: "bob", text: "it died", ts: "1700000000.000100" }],
    },
    says: ["bob wrote, 2023-11-14 22:13 UTC:\nit died"],
  },
  {
    name: "a video, with where it plays",
    message: fromBot({
      type: "video",
      title: plain("Talk"),
      alt_text: "a",
      provider_name: "YouTube",
      video_url: "https://v.example/embed",
    }),
    says: ["[Talk](https://v.example/embed)", "YouTube"],
  },
  {
    name: "files that are shown as a card, and within a text",
    message: {
      text: "",
      blocks: [
        {
          type: "file",
          external_id: "X",
          source: "remote",
          file_id: "F1",
          file: { id: "F1", name: "spec.pdf", title: "The spec", url_private: "https://files/1" },
        },
        rich({ type: "text", text: "see " }, { type: "file", file_id: "F2", title: "plan.txt" }),
      ],
    },
    says: ["see [file: plan.txt]", "[spec.pdf: The spec]"],
    files: ["spec.pdf", "plan.txt"],
  },
  {
    name: "a file that its message brings and names in a block, too",
    message: {
      text: "see",
      files: [{ id: "F1", name: "spec.pdf", url_private: "https://files/1" }],
      blocks: [rich({ type: "text", text: "see " }, { type: "file", file_id: "F1" })],
    },
    says: ["see"],
    files: ["spec.pdf"],
  },
  {
    name: "a post of another service, by name and account",
    message: {
      user: "U0ANA",
      text: "see",
      attachments: [
        { service_name: "Chirp", author_name: "Harbour News", author_subname: "@harbournews", text: "fog" },
      ],
    },
    says: ["see", "Chirp · Harbour News · @harbournews", "fog"],
  },
  {
    name: "a card's picture and small print, what a task read, and who is in a call",
    message: fromBot(
      {
        type: "card",
        title: mrkdwn("Release 3.2"),
        subtext: mrkdwn("built on Monday"),
        hero_image: { type: "image", image_url: "https://img.example/a.png", alt_text: "a green pipeline" },
      },
      {
        type: "task_card",
        task_id: "t",
        title: "Look it up",
        status: "complete",
        sources: [{ type: "url", url: "https://docs.example/limits", text: "Limits" }],
      },
      {
        type: "call",
        call: { v1: { name: "Bridge", all_participants: [{ slack_id: "U0ANA" }, { display_name: "Vendor Vic" }] } },
      },
    ),
    says: [
      "Release 3.2",
      "built on Monday",
      "a green pipeline",
      "Look it up [complete]",
      "[Limits](https://docs.example/limits)",
      "Bridge",
      "@ana, Vendor Vic",
    ],
  },
  {
    name: "mentions of a workspace and of kinds to come, in rich text and beside other elements",
    message: fromBot(
      rich(
        { type: "team", team_id: "T0OTHER" },
        { type: "text", text: " and " },
        { type: "mention", user_id: "U0ANA", name: "ana" },
        { type: "entity_mention", channel_id: "C0001" },
      ),
      { type: "context", elements: [{ type: "mention", user_id: "U0ANA" }, mrkdwn("owns it")] },
      { type: "table", rows: [[{ type: "mention", usergroup_id: "S0OPS" }, plain("on call")]] },
    ),
    says: ["@T0OTHER and @ana#ops(C0001)", "@ana owns it", "| @group S0OPS | on call |"],
  },
  {
    name: "a message that was pinned",
    message: {
      subtype: "pinned_item",
      text: "",
      item: {
        type: "C",
        message: {
          text: "call the night shift",
          attachments: [{ text: "at once" }],
          files: [{ id: "F1", name: "rota.txt" }],
        },
      },
    },
    says: ["Pinned: call the night shift\nat once"],
    files: ["rota.txt"],
  },
  {
    name: "a list and a file that a person mentions",
    message: {
      user: "U0ANA",
      text: "can you see F0LIST and F0DOC?",
      blocks: [
        rich(
          { type: "text", text: "can you see " },
          { type: "list_record", file_id: "F0LIST", url: "https://harbour.example/lists/T1/F0LIST" },
          { type: "text", text: " and " },
          { type: "file", file_id: "F0DOC" },
          { type: "text", text: "?" },
        ),
      ],
      files: [
        {
          id: "F0LIST",
          filetype: "list",
          mode: "list",
          mimetype: "application/vnd.slack-list",
          name: "list",
          title: "Open incidents",
          url_private: "https://files.example/T1-F0LIST/list",
          permalink: "https://harbour.example/lists/T1/F0LIST",
        },
        { id: "F0DOC", name: "spec.pdf", mimetype: "application/pdf", url_private: "https://files.example/spec.pdf" },
      ],
    },
    says: [
      "can you see Open incidents and spec.pdf?",
      "[list: [Open incidents](https://harbour.example/lists/T1/F0LIST)]",
    ],
    files: ["spec.pdf"],
  },
  {
    name: "an issue that its tracker's app shows as an object of its own",
    message: {
      text: "<https://tracker.example/OPS-7>",
      attachments: [
        {
          id: 1,
          from_url: "https://tracker.example/OPS-7",
          work_object_entity: {
            app_name: "Tracker",
            external_url: "https://tracker.example/OPS-7",
            layouts: {
              compact: { title: { text: "Queue stands still" } },
              expanded: {
                title: { text: "Queue stands still" },
                subtitle: { text: "Incident OPS-7" },
                fields: {
                  elements: [
                    { type: "field", label: "Status", rich_text: rich({ type: "text", text: "Open" }) },
                    { type: "field", label: "Due", rich_text: rich() },
                    { type: "field", label: "Owner", rich_text: rich({ type: "user", user_id: "U0ANA" }) },
                  ],
                },
              },
            },
          },
        },
      ],
    },
    says: ["[Queue stands still](https://tracker.example/OPS-7)\nIncident OPS-7\nStatus: Open\nOwner: @ana"],
  },
];
