import { ownText, textOfAttachment } from "./attachments.ts";
import { joined, type Node, nodeOf, nodesIn, words } from "./node.ts";

/** Messages of Slack's own whose words stand in fields of their own. */

/** People of a huddle that are named. */
const NAMED = 20;

/** Who talks with whom, where the message is about a huddle. */
export function huddle({ room }: Node): string {
  const { name, participants, participant_history, has_ended } = nodeOf(room);
  const people = [...new Set([...idsIn(participant_history), ...idsIn(participants)])].slice(0, NAMED);
  if (room === undefined || room === null) return "";
  const who = people.length === 0 ? "" : ` with ${people.map((id) => `<@${id}>`).join(", ")}`;
  const title = words(name) === "" ? "" : `: ${words(name)}`;
  return `[huddle${who}${has_ended === true ? ", which has ended" : ""}${title}]`;
}

function idsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(words).filter((id) => id !== "") : [];
}

/** The message that somebody has pinned. */
export function pinned({ item }: Node): string {
  const message = nodeOf(nodeOf(item).message);
  const text = joined([ownText(message), ...nodesIn(message.attachments).map(textOfAttachment)]);
  return text === "" ? "" : `Pinned: ${text}`;
}
