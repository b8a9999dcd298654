import { platformContract } from "../../contracts/platform.ts";
import { openDiscordHarness } from "../../support/discord/harness.ts";

platformContract("Discord", openDiscordHarness, {
  answersMessages: false,
  mentions: true,
  dms: "rolling",
  quotes: true,
  credentials: true,
});
