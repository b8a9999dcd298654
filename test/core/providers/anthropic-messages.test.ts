import { describeWire } from "../../contracts/wire.ts";
import { startAnthropicServer } from "../../support/anthropic-server.ts";

describeWire({
  name: "Anthropic Messages",
  ref: "anthropic/claude-sonnet-5-5",
  startServer: () => startAnthropicServer({ key: "test-key" }),
  settings: (url) => ({ apiKey: "test-key", baseUrl: url }),
  thoughtMark: "sealed",
  optional: { request: { effortLevel: "high" }, field: "output_config" },
});
