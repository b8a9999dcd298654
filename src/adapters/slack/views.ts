import { BoundedMap } from "../../core/bounded-map.ts";
import type { Directory } from "./directory.ts";
import { type Node, nodeOf, nodesIn, textOf } from "./message/node.ts";
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
const MAX_PEOPLE = 2_000;
/** Maximum number of entities of a view that are reported. */
const TOLD = 3;

export function createViews(): Views {
  const changed: BoundedMap<string, View | null> = new BoundedMap(MAX_PEOPLE);
  const sent: BoundedMap<string, string> = new BoundedMap(MAX_PEOPLE);
  return {
    changed(userId, context) {
      const entities = nodesIn(nodeOf(context).entities).slice(0, TOLD);
      changed.set(userId, entities.length === 0 ? null : entities);
    },
    take(userId) {
      const view = changed.get(userId) ?? null;
      const print = JSON.stringify(view);
      if (view === null || sent.get(userId) === print) return null;
      sent.set(userId, print);
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
  return textOf(type).endsWith("/channel_id") ? textOf(value) : textOf(nodeOf(value).channel_id);
}

function entityText(entity: Node, channel: (id: string) => string): string {
  const { type, value } = entity;
  const kind = textOf(type).split("/").at(-1) ?? "";
  switch (kind) {
    case "channel_id":
      return channel(textOf(value));
    case "message_context":
      return `the message ${textOf(nodeOf(value).message_ts)} in ${channel(channelOf(entity))}`;
    default:
      return `${kind.replace(/_id$/u, "")} ${textOf(value)}`;
  }
}
