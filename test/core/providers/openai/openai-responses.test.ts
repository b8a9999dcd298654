import { describeWire } from "../../../contracts/wire.ts";
import { startOpenAiServer } from "../../../support/model/openai-server.ts";

describeWire({
  name: "OpenAI Responses",
  ref: "openai/gpt-6.1-sol",
  startServer: () => startOpenAiServer({ key: "test-key" }),
  settings: (url) => ({ apiKey: "test-key", baseUrl: url }),
  thoughtMark: "sealed",
  optional: { request: { temperature: 0.2 }, field: "temperature" },
});
