import { expect, test } from "vitest";
import { messageSchema } from "../../../../src/adapters/discord/message/message-schema.ts";
import { withReferencedMessage } from "../../../../src/adapters/discord/message/referenced-message.ts";
import { CountingLog } from "../../../support/counting-log.ts";

test("a reply whose answered message cannot be read is read without it, and the log says why", async () => {
  const log = new CountingLog();
  const reply = messageSchema.parse({
    id: "6",
    channel_id: "300",
    type: 19,
    author: { id: "1001", username: "bob" },
    content: "why?",
    message_reference: { message_id: "5" },
  });
  const rest = { message: () => Promise.reject(new Error("Missing Access")) };
  expect(await withReferencedMessage(reply, { rest, log })).toBe(reply);
  expect(log.warnings).toBe(1);
});
