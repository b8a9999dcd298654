import { ownText, textOfAttachment } from "./attachments.ts";
import { joined, type Node, nodeOf, nodesIn, textOf } from "./node.ts";

/** System messages of Slack that keep their content in fields of their own. */

/** Maximum number of participants of a huddle that are named. */
const NAMED = 20;

/** Describes a huddle and its participants; empty for other messages. */
export function huddle({ room }: Node): string {
  const { name, participants, participant_history, has_ended } = nodeOf(room);
  const people = [...new Set([...idsIn(participant_history), ...idsIn(participants)])].slice(0, NAMED);
  if (room === undefined || room === null) return "";
  const who = people.length === 0 ? "" : ` with ${people.map((id) => `<@${id}>`).join(", ")}`;
  const title = textOf(name) === "" ? "" : `: ${textOf(name)}`;
  return `[huddle${who}${has_ended === true ? ", which has ended" : ""}${title}]`;
}

function idsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf).filter((id) => id !== "") : [];
}

export function pinned({ item }: Node): string {
  const message = nodeOf(nodeOf(item).message);
  const text = joined([ownText(message), ...nodesIn(message.attachments).map(textOfAttachment)]);
  return text === "" ? "" : `Pinned: ${text}`;
}
