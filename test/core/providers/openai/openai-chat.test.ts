import { describeWire } from "../../../contracts/wire.ts";
import { startOpenAiServer } from "../../../support/model/openai-server.ts";

describeWire({
  name: "OpenAI Chat Completions",
  ref: "deepseek/deepseek-v4-pro",
  startServer: () => startOpenAiServer({ key: "test-key" }),
  settings: (url) => ({ apiKey: "test-key", baseUrl: url }),
  thoughtMark: "pondering",
  optional: { request: { temperature: 0.2 }, field: "temperature" },
});
