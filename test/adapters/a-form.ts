import type { Receipt } from "../../src/core/platform/inbound.ts";
import type { OutgoingMessage } from "../../src/core/platform/outgoing.ts";
import type { Form } from "../../src/core/protocol/form.ts";

/** A form with one field of each kind. */
export const FORM: Form = {
  title: "Change Daily report",
  command: "jobs",
  line: "edit job_1",
  fields: [
    { name: "name", label: "Name", required: false, kind: "text", value: "Daily report" },
    { name: "when", label: "When", required: true, kind: "text", hint: "0 9 * * 1-5", value: "0 9 * * *" },
    { name: "prompt", label: "What to do", required: true, kind: "multiline", value: "Look around.\nSay it." },
    { name: "timezone", label: "Time zone", required: false, kind: "text", value: "Europe/Paris" },
    { name: "channel", label: "Channel", required: false, kind: "channel", value: "C0001" },
    { name: "agent", label: "Agent", required: false, kind: "choice", choices: ["build", "plan"] },
    { name: "mode", label: "Mode", required: false, kind: "choice", choices: ["read", "write"], value: "read" },
  ],
};

export const WORDS: OutgoingMessage = {
  lane: "answer",
  markdown: "✗ When: no such time.",
  tone: "plain",
  buttons: [],
  files: [],
};

export const ASKS = { type: "reply", message: WORDS, form: FORM } as const satisfies Receipt;

/** A reply that asks for the same form again because a field is wrong. */
export const WRONG = {
  type: "reply",
  message: WORDS,
  form: { ...FORM, fields: FORM.fields.map((field) => (field.name === "when" ? { ...field, value: "noon" } : field)) },
  problems: { when: "There is no such time." },
} as const satisfies Receipt;
