import { expect, test } from "vitest";
import { describeWire } from "../../../contracts/wire.ts";
import { answerWith, eventStream } from "../../../support/model/odd-answers.ts";
import { startOpenAiServer } from "../../../support/model/openai-server.ts";
import { results, said, user } from "../../../support/talk/conversation.ts";

describeWire({
  name: "OpenAI Responses",
  ref: "openai/gpt-6.1-sol",
  startServer: () => startOpenAiServer({ key: "test-key" }),
  settings: (url) => ({ apiKey: "test-key", baseUrl: url }),
  thoughtMark: "sealed",
  optional: { request: { temperature: 0.2 }, field: "temperature" },
});

test("what was said on the way to a call goes back as such to the model that said it, and plain to others", async () => {
  const message = (phase: string, text: string) => ({
    type: "message",
    phase,
    content: [{ type: "output_text", text }],
  });
  const output = [
    message("commentary", "I look."),
    message("other", "Well."),
    { type: "function_call", call_id: "a", name: "read", arguments: "{}" },
  ];
  const sent: string[] = [];
  const respond = (body: string) => {
    sent.push(body);
    return eventStream(`data: ${JSON.stringify({ type: "response.completed", response: { output } })}\n\n`);
  };
  const { content } = await answerWith(respond, { wire: "responses" });
  const messages = [user("go"), said("assistant", content), results({ id: "a", text: "A" })];
  await answerWith(respond, { wire: "responses", messages });
  await answerWith(respond, { wire: "responses", messages, model: "another" });
  const commentary = { type: "message", role: "assistant", content: "I look.", phase: "commentary" };
  expect(JSON.parse(sent[1] ?? "")).toMatchObject({ input: [{}, commentary, { content: "Well." }, {}, {}] });
  expect(sent.map((body) => body.split('"phase"').length - 1)).toEqual([0, 1, 0]);
});
