import { z } from "zod";
import type { Args, MethodContext } from "./slack-method.ts";
import type { SlackMessage } from "./slack-model.ts";

export function json(text: string | undefined): unknown {
  return text === undefined || text === "" ? undefined : JSON.parse(text);
}

export function openChannel(args: Args, { workspace }: MethodContext): string | null {
  const channel = args.channel ?? args.channel_id ?? "";
  if (channel === "" || workspace.channel(channel).gone) return null;
  return channel;
}

export function blocksOf(args: Args): SlackMessage["blocks"] {
  return z.array(z.looseObject({ type: z.string() })).parse(json(args.blocks) ?? []);
}
