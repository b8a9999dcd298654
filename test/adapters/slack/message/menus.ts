import { plain, section } from "../../../contracts/slack-alerts.ts";
import type { SlackSample } from "../../../contracts/slack-messages.ts";

/** What people see once they open a menu, and what only a colour or an icon says. */

const option = (text: string) => ({ text: plain(text), value: "v" });
const fromBot = (...blocks: object[]) => ({ bot_id: "B0CI", text: "", blocks });

export const SLACK_MENUS: readonly SlackSample[] = [
  {
    name: "the options of menus, with what is chosen",
    message: fromBot(
      {
        ...section("How bad?"),
        accessory: {
          type: "static_select",
          placeholder: plain("Severity"),
          options: [option("SEV1"), option("SEV2")],
          initial_option: option("SEV2"),
        },
      },
      {
        ...section("Whom?"),
        accessory: {
          type: "multi_static_select",
          placeholder: plain("Teams"),
          option_groups: [
            { label: plain("EU"), options: [option("storage")] },
            { label: plain("US"), options: [option("network")] },
          ],
        },
      },
    ),
    says: ["How bad?\n[SEV2 of: SEV1, SEV2]", "Whom?\n[Teams of: storage, network]"],
  },
  {
    name: "the first options of a long menu",
    message: fromBot({
      type: "actions",
      elements: [
        {
          type: "static_select",
          placeholder: plain("Host"),
          options: Array.from({ length: 40 }, (_, at) => option(`db-${at}`)),
        },
      ],
    }),
    says: ["db-23, db-24, and 15 more]"],
  },
  {
    name: "the options of a menu in an attachment",
    message: {
      text: "",
      attachments: [
        {
          title: "#12 The disk is full",
          actions: [
            { type: "button", text: "Close" },
            { type: "select", text: "More", options: [{ text: "Snooze", value: "s" }] },
          ],
        },
      ],
    },
    says: ["#12 The disk is full\n[Close] [More of: Snooze]"],
  },
  {
    name: "the level of an alert, which its icon shows",
    message: fromBot(
      { type: "alert", level: "error", text: plain("The certificate has expired") },
      { type: "alert", level: "default", text: plain("Renew it") },
    ),
    says: ["[error]\nThe certificate has expired\nRenew it"],
  },
  {
    name: "a canvas within a text",
    message: fromBot({
      type: "rich_text",
      elements: [
        {
          type: "rich_text_section",
          elements: [
            { type: "text", text: "see " },
            { type: "canvas", file_id: "F0CANVAS", title: "Runbook" },
          ],
        },
      ],
    }),
    says: ["see Runbook"],
  },
];
