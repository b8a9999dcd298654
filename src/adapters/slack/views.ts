import { BoundedMap } from "../../core/bounded-map.ts";
import type { Directory } from "./directory.ts";
import { type Node, nodeOf, nodesIn, words } from "./message/node.ts";
import { readableText } from "./message/text.ts";

/** What people have open beside the pane. Kept in memory only, since Slack reports it again after a restart. */
export interface Views {
  changed(userId: string, context: unknown): void;
  /** What the person has open, or null if it has not changed since the last call. */
  take(userId: string): View | null;
}

/** Entities of Slack's context, most relevant first; never empty. */
export type View = readonly Node[];

/** Maximum number of people whose view is remembered. */
const REMEMBERED = 2_000;
/** Maximum number of entities of a view that are reported. */
const TOLD = 3;

export function createViews(): Views {
  const news: BoundedMap<string, View | null> = new BoundedMap(REMEMBERED);
  const told: BoundedMap<string, string> = new BoundedMap(REMEMBERED);
  return {
    changed(userId, context) {
      const entities = nodesIn(nodeOf(context).entities).slice(0, TOLD);
      news.set(userId, entities.length === 0 ? null : entities);
    },
    take(userId) {
      const view = news.get(userId) ?? null;
      const print = JSON.stringify(view);
      if (view === null || told.get(userId) === print) return null;
      told.set(userId, print);
      return view;
    },
  };
}

/** `Beside this conversation the person has open: #ops(C1)`. */
export async function viewText(view: View, directory: Directory): Promise<string> {
  const ids = view.map(channelOf).filter((id) => id !== "");
  const channels = await directory.channelNames(ids);
  const seen = view.map((entity) =>
    entityText(entity, (id) => readableText(`<#${id}>`, { people: new Map(), channels })),
  );
  return `Beside this conversation the person has open: ${seen.join(", ")}`;
}

function channelOf({ type, value }: Node): string {
  return words(type).endsWith("/channel_id") ? words(value) : words(nodeOf(value).channel_id);
}

function entityText(entity: Node, channel: (id: string) => string): string {
  const { type, value } = entity;
  const kind = words(type).split("/").at(-1) ?? "";
  switch (kind) {
    case "channel_id":
      return channel(words(value));
    case "message_context":
      return `the message ${words(nodeOf(value).message_ts)} in ${channel(channelOf(entity))}`;
    default:
      return `${kind.replace(/_id$/u, "")} ${words(value)}`;
  }
}
