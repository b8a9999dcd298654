import type { PlatformDescriptor } from "../../core/protocol/platform.ts";
import { WEB_LIMITS } from "./limits.ts";

/** Where all who sign in are; otherwise the page is one person's. */
export const TEAM_CHANNEL = "team";

export const WEB: PlatformDescriptor = {
  name: "web",
  title: "the web page",
  limits: WEB_LIMITS,
  ids: { people: [{ id: /^\S+$/u, written: "<id>" }], channel: { id: /^\S+$/u, written: "<id>" } },
  isOwn: true,
  isDirect: ({ channelId }) => channelId !== TEAM_CHANNEL,
  hasThreads: () => true,
  slashName: (command) => command,
  /** Within the page. */
  link: ({ threadId }) => (threadId === null ? null : `#${threadId}`),
};
