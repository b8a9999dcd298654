import type { PlatformDescriptor } from "../../core/platform/descriptor.ts";
import { DISCORD_LIMITS } from "./limits.ts";

/** Placeholder server id of direct messages. Source: Discord's client. */
export const DM_WORKSPACE_ID = "@me";

export const DISCORD: PlatformDescriptor = {
  name: "discord",
  title: "Discord",
  limits: DISCORD_LIMITS,
  ids: {
    people: [
      { id: /^\d+$/u, written: "<id>" },
      { id: /^role:\d+$/u, written: "role:<id>" },
    ],
    channel: { id: /^\d+$/u, written: "<id>" },
  },
  isOwn: false,
  isDirect: ({ workspaceId }) => workspaceId === DM_WORKSPACE_ID,
  /** Direct messages have no threads; they are one conversation. */
  hasThreads: ({ workspaceId }) => workspaceId !== DM_WORKSPACE_ID,
  directWorkspace: DM_WORKSPACE_ID,
  hasPrivateThreads: true,
  slashName: (command) => command,
  /** Documented for channels; a thread is a channel, too. */
  link: ({ workspaceId, channelId, threadId }) =>
    `https://discord.com/channels/${workspaceId}/${threadId ?? channelId}`,
};
