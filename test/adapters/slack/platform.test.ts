import { platformContract } from "../../contracts/platform.ts";
import { openSlackHarness } from "../../support/slack/slack-harness.ts";

const traits = { answersMessages: true, mentions: true, dms: "threads", quotes: true, credentials: true } as const;

platformContract("Slack by Socket Mode", () => openSlackHarness("socket"), traits);
platformContract("Slack by signed HTTP", () => openSlackHarness("http"), traits);
