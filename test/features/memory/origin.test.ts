import { expect, test } from "vitest";
import type { StoredEvent } from "../../../src/core/events/session-event.ts";
import { outsideOf } from "../../../src/core/trust/label.ts";
import { closestLine, originOf, personMessagesIn } from "../../../src/features/memory/origin.ts";

const TEXT = "deploys happen on fridays after lunch";
const label = { who: ["slack:U1", outsideOf("docs.test")], holds: ["channel" as const] };

function said(more: { readonly from?: string }): StoredEvent {
  const thread = { platform: "slack" as const, workspaceId: "T", channelId: "C", threadId: "1" };
  const author = { id: "slack:U1", name: "Ana" };
  const body = {
    kind: "message" as const,
    author,
    text: TEXT,
    quoted: [],
    attachments: [],
    thread,
    messageId: "1",
    at: 0,
  };
  return { seq: 1, sessionId: "ses", key: "k", body: { ...body, addressed: true, joinsThread: false, ...more } };
}

test.each([
  { whose: "a person's", more: {}, origin: "people" },
  { whose: "a server's, which a person called for", more: { from: "MCP server docs" }, origin: "outside" },
])("a memory taken from text that is $whose has the origin $origin", ({ more, origin }) => {
  expect(originOf(TEXT, { approved: false, label, messages: personMessagesIn([said(more)]) })).toBe(origin);
});

test("a text is attributed to the author of its closest line, or to nobody without a similar line", () => {
  const [ana, bob] = [
    { author: "ana", text: "keep in mind what bob says" },
    { author: "bob", text: "answers of mine are in Welsh" },
  ] as const;
  expect(closestLine("bob wants his answers in Welsh", [ana, bob])?.author).toBe("bob");
  expect(closestLine("herons fly", [ana, bob])).toBeUndefined();
});
