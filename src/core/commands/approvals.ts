import { readArguments } from "../command-line/arguments.ts";
import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { quoteInput } from "../command-line/quote-input.ts";
import { grantSubject } from "../permissions/approval-card.ts";
import { mayDecide } from "../permissions/deciders.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import { privateMessage } from "../platform/replies.ts";
import type { ApprovalRow } from "../store/run/approvals.ts";
import type { GrantRow } from "../store/run/grants.ts";
import { plainLine } from "../text/plain-text.ts";

/** Maximum length of a line's text, in characters. */
const WHAT_CHARS = 120;
/** Maximum number of lines in a list. The rest is only counted. */
const MAX_LINES = 20;
/** Maximum number of grants with a Revoke button. */
const MAX_BUTTONS = 10;

export const approvalsCommand: ChatCommand = {
  name: "approvals",
  description: "decisions waiting here, and the approvals I remember",
  usage: "[revoke <number>]",
  permission: "everyone",
  async run(line, context) {
    const read = readArguments(line, { words: 2 });
    if (read.type === "broken") return privateMessage(read.reason);
    const [verb, which] = read.words;
    if (verb === undefined) return overview(context);
    if (verb !== "revoke")
      return privateMessage(`I don't know ${quoteInput(verb)}. Did you mean \`/approvals revoke <number>\`?`);
    if (which === undefined)
      return privateMessage("Which one? `/approvals` shows the numbers for `/approvals revoke <number>`.");
    const grants = await grantsHere(context);
    const grant = grants.find(({ id }) => id === which) ?? grants[Number(which) - 1];
    if (grant === undefined)
      return privateMessage(`There is no approval number ${which} here. \`/approvals\` lists them.`);
    return privateMessage(await revokeGrant(grant.id, context));
  },
};

/** Revokes a grant if the person is covered by it or may decide for that person. Returns the reply. */
export async function revokeGrant(
  id: string,
  { store, runtime, approvals, person }: Pick<CommandContext, "store" | "runtime" | "approvals" | "person">,
): Promise<string> {
  const grant = await store.grants.get(id);
  if (grant === null) return "That approval is already revoked.";
  if (person.id !== grant.personId && !mayDecide(person, grant.personId, approvals)) {
    return "Only approvers, admins and the person it covers can revoke this approval.";
  }
  const isRevoked = await store.transaction((tx) => tx.grants.revoke(id, runtime.clock.now()));
  return isRevoked
    ? `✓ Revoked: ${grantSubject(grant)}. I'll ask again from now on.`
    : "That approval is already revoked.";
}

function grantsHere({ store, session, channelKey }: CommandContext): Promise<GrantRow[]> {
  return store.grants.inForce({ sessionId: session?.id ?? "", channelId: channelKey });
}

async function overview(context: CommandContext): Promise<OutgoingMessage> {
  const { store, channelKey, runtime, session } = context;
  const [pending, grants] = await Promise.all([store.approvals.pendingIn(channelKey), grantsHere(context)]);
  const people = grants.map(({ personId }) => personId);
  const names = await store.usage.namesOf("personId", [...new Set(people)]);
  const now = runtime.clock.now();
  const placeOf = (row: ApprovalRow) => (concerns(row, context) ? "shown" : "elsewhere");
  const { shown = [], elsewhere = [] } = Object.groupBy(pending, placeOf);
  const waits = shown.map((row) => waitingLine(row, { now, isHere: row.sessionId === session?.id }));
  if (elsewhere.length > 0) waits.push(`⏸ ${elsewhere.length} in other threads, for others to decide`);
  const held = grants.map((grant, index) => {
    const whose = names.get(grant.personId) ?? grant.personId;
    return `${index + 1}. ${grantLine(grant, { whose, now })}`;
  });
  const parts = [
    ...(waits.length === 0
      ? ["Nothing is waiting for a decision here."]
      : ["**Waiting for a decision**", ...cut(waits)]),
    "",
    ...(held.length === 0
      ? ["I remember no approvals here. `/mode` shows what I ask about."]
      : ["**Allowed here**", ...cut(held)]),
  ];
  const isOnly = grants.length === 1;
  const buttons = grants.slice(0, MAX_BUTTONS).map(({ id }, index) => {
    return { id: `revoke:${id}`, label: isOnly ? "Revoke" : `Revoke ${index + 1}`, style: "default" } as const;
  });
  return { ...privateMessage(parts.join("\n")), buttons };
}

/** Whether an approval may be shown to the person, who may not be able to see every thread of the channel. */
function concerns({ sessionId, people }: ApprovalRow, { session, person, approvals }: CommandContext): boolean {
  return sessionId === session?.id || mayDecide(person, people.requester.id, approvals);
}

function cut(lines: readonly string[]): string[] {
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `… and ${more} more`] : [...lines];
}

/** `⏸ bash `make` · asked by @ana · 5 min ago · expires in 55 min` */
function waitingLine(row: ApprovalRow, { now, isHere }: { now: number; isHere: boolean }): string {
  const titles = row.calls.filter(({ refused }) => refused === undefined).map(({ title }) => title);
  const place = isHere ? "" : " · in another thread";
  const expires = `expires in ${span(row.expiresAt - now)}`;
  const asked = `asked by @${row.people.requester.name} ${span(now - row.createdAt)} ago`;
  return `⏸ ${plainLine(titles.join(", "), WHAT_CHARS)} · ${asked} · ${expires}${place}`;
}

function grantLine(grant: GrantRow, { whose, now }: { whose: string; now: number }): string {
  const scope = grant.sessionId === null ? "in this channel" : "in this session";
  return `${grantSubject(grant)} · for ${whose}, ${scope} · allowed by ${grant.grantedBy} ${span(now - grant.createdAt)} ago`;
}

const MINUTE_MS = 60_000;

/** Formats a duration in the largest suitable unit: `40 s`, `5 min`, `3 h`, `12 d`. */
function span(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}
