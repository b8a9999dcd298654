import { expect, test } from "vitest";
import { messageSchema } from "../../../../src/adapters/discord/message/message-schema.ts";
import { withReferencedMessage } from "../../../../src/adapters/discord/message/referenced-message.ts";
import { CountingLog } from "../../../support/counting-log.ts";

test("a reply is read without its referenced message if that is unreadable, and the reason is logged", async () => {
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
