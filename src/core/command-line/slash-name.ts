import type { PlatformName } from "../protocol/platform.ts";

/**
 * Slash commands that Slack has itself. It refuses a manifest with one of them as a whole ("the slash command has an
 * invalid name"). Source: Slack help, Use shortcuts and slash commands.
 */
const SLACKS_OWN: ReadonlySet<string> = new Set([
  "active",
  "apps",
  "archive",
  "away",
  "call",
  "collapse",
  "dm",
  "dnd",
  "expand",
  "feed",
  "feedback",
  "invite",
  "join",
  "leave",
  "me",
  "msg",
  "mute",
  "open",
  "prefs",
  "pro",
  "remind",
  "remove",
  "rename",
  "search",
  "shortcuts",
  "shrug",
  "star",
  "status",
  "topic",
  "who",
]);

const PREFIX = "deckhand-";

/** What a command is called where it is typed as a slash command of the platform. */
export function slashName(name: string, platform: PlatformName): string {
  return platform === "slack" && SLACKS_OWN.has(name) ? `${PREFIX}${name}` : name;
}

/** The command that a slash command stands for: with the prefix, which operators may give to others, or without. */
export function commandNamed(slash: string): string {
  return slash.replace(/^\//u, "").replace(PREFIX, "");
}
