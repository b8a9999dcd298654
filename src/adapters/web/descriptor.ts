import type { PlatformDescriptor } from "../../core/platform/descriptor.ts";
import { WEB_LIMITS } from "./limits.ts";

/** Channel of everybody who signs in; without sign-in the page belongs to one person. */
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
  /** A fragment, which works only within the page. */
  link: ({ threadId }) => (threadId === null ? null : `#${threadId}`),
};
