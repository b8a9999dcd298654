import { platformContract } from "../../contracts/platform.ts";
import { TerminalHarness } from "./terminal-harness.ts";

platformContract("the terminal", () => Promise.resolve(new TerminalHarness()), {
  answersMessages: true,
  mentions: false,
  dms: "none",
  quotes: false,
  credentials: false,
});
