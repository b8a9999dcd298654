import { platformContract } from "../../contracts/platform.ts";
import { WebHarness } from "./web-harness.ts";

platformContract("web", () => Promise.resolve(new WebHarness()), {
  answersMessages: true,
  mentions: false,
  dms: "none",
  quotes: false,
  credentials: false,
});
