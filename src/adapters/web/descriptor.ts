import type { PlatformDescriptor } from "../../core/protocol/platform-descriptor.ts";
import { WEB_LIMITS } from "./limits.ts";

export const WEB: PlatformDescriptor = {
  name: "web",
  title: "the web page",
  limits: WEB_LIMITS,
  ids: { people: [{ id: /^\S+$/u, written: "<id>" }] },
  isOwn: true,
  isDirect: () => true,
  hasThreads: () => true,
  slashName: (command) => command,
  /** Within the page. */
  link: ({ threadId }) => (threadId === null ? null : `#${threadId}`),
};
