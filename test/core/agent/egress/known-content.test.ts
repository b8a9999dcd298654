import { expect, test } from "vitest";
import { knownContent } from "../../../../src/core/agent/egress/known-content.ts";
import type { Message } from "../../../../src/core/protocol/messages.ts";
import { type Label, OWN_MESSAGES, outsideOf } from "../../../../src/core/trust/label.ts";

const ANA = { id: "slack:U1", name: "Ana" };
const ADDRESS = "http://docs.test/a?b=1";
const text = [{ type: "text" as const, text: `see ${ADDRESS}` }];
const added = text.map((block) => ({ ...block, isAdded: true as const }));
const by = (...who: string[]): Label => ({ who, holds: ["channel"] });
const assigned = { type: "task_assignment" as const, agent: "worker", description: "look", sessionId: "ses_2" };

const said = (more: Partial<Message>): Message => ({ id: "m", role: "user", content: text, createdAt: 0, ...more });

test.each<[string, Message, boolean]>([
  ["what memory adds to a person's message", said({ author: ANA, label: by(ANA.id), content: added }), false],
  ["a person's message", said({ author: ANA, label: by(ANA.id) }), true],
  [
    "a bot's message in the thread",
    said({ author: { id: "B1", name: "alerts" }, label: by(outsideOf("alerts")) }),
    true,
  ],
  ["a message of ours in the thread", said({ author: { id: "U0", name: "Deckhand" }, label: by(OWN_MESSAGES) }), false],
  ["the model's answer", said({ role: "assistant" }), false],
  ["an assignment", said({ content: [assigned, ...text], label: by(ANA.id) }), false],
  ["an assignment with an address that was known", said({ content: [{ ...assigned, addresses: [ADDRESS] }] }), true],
  ["a note, as of a sub-agent's end", said({ label: by(ANA.id) }), false],
])("an address in %s", (_what, message, isKnown) => {
  expect(knownContent([message], []).addresses.includes(ADDRESS)).toBe(isKnown);
});
