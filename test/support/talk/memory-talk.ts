import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { type Reply, text } from "../model/model-script.ts";
import type { RecordedRequest } from "../model/model-server.ts";
import { conversationOf, type SlackOffice } from "./slack-talk.ts";

/** People in a Slack office, and what the program remembers of them. */

/** A private channel with ana, bob and the bot. */
export function privateChannel(office: SlackOffice): string {
  const id = office.channel();
  const { workspace } = office.slack;
  const members = new Set(["U0ANA", "U0BOB", workspace.botUserId]);
  workspace.channels.set(id, { id, name: "board", kind: "channel", isPrivate: true, members, gone: false });
  return id;
}

/** The private answer to a command. */
export async function typed(
  { slack }: SlackOffice,
  line: string,
  { channel, user = "U0ANA", name = "memory" }: { channel: string; user?: string; name?: string },
): Promise<string> {
  const command = slack.people.command(`/${name}`, line, { channel, user });
  await command.answered;
  return JSON.stringify(command.response());
}

/** The model's input for a question in a new thread. */
export async function asked(
  office: SlackOffice,
  words: string,
  { channel, user = "U0ANA" }: { channel: string; user?: string },
): Promise<string> {
  await office.talk({ text: words, channel, user }).answered(1);
  return conversationOf(office.requestsAbout(words).findLast((request) => !isLesson(request))?.body);
}

/** True for a request that learns from a thread. */
export function isLesson({ body }: Pick<RecordedRequest, "body">): boolean {
  return JSON.stringify(body).includes("You keep a team's memory");
}

export interface ProposedNote {
  readonly text: string;
  readonly kind?: "fact" | "decision" | "preference" | "howto";
  /** Text of a line that supports the note; a thread without such a line does not produce it. */
  readonly says: string;
  /** Text of a known memory that the note replaces, or repeats. */
  readonly replaces?: string;
  readonly same?: string;
}

/** A model's notes on a thread, with the numbers given in the request. */
export function notes(request: RecordedRequest, proposed: readonly ProposedNote[]): Reply {
  const rows = request.lastUserText.split("\n").flatMap((row) => (row.startsWith("{") ? [JSON.parse(row)] : []));
  const numberOf = (words: string | undefined, key: "line" | "number") =>
    words === undefined ? null : (rows.find((row) => key in row && String(row.text).includes(words))?.[key] ?? null);
  const answer = proposed.flatMap(({ says, replaces, same, kind = "fact", text: note }) => {
    const line = numberOf(says, "line");
    const known = { replaces: numberOf(replaces, "number"), same: numberOf(same, "number") };
    return line === null ? [] : [{ text: note, kind, lines: [line], ...known }];
  });
  return text(`\`\`\`json\n${JSON.stringify({ notes: answer })}\n\`\`\``);
}

/** Backdates everything that is remembered by some days. */
export function daysPass(office: SlackOffice, days: number): void {
  const usedAt = new Date(Date.now() - days * 86_400_000).toISOString().replace("Z", "+00:00");
  inDatabase(office, (database) => database.prepare("UPDATE Memory SET usedAt = ?, createdAt = ?").run(usedAt, usedAt));
}

interface MemoryRow {
  readonly text: string;
  readonly scope: string;
  readonly origin: string;
  readonly helped: number;
  readonly usedAt: string;
  readonly endedAt: string | null;
}

/** The memories in the database. */
export function rowsOf(office: Pick<SlackOffice, "bot">): readonly MemoryRow[] {
  const sql = "SELECT text, scope, origin, helped, usedAt, endedAt FROM Memory ORDER BY seq";
  return inDatabase(office, (database) => database.prepare<[], MemoryRow>(sql).all());
}

/** Whether no thread is waiting to be learned from. */
export function isAllLearned(office: Pick<SlackOffice, "bot">): boolean {
  const sql = "SELECT 1 FROM MemoryLesson WHERE dueAt IS NOT NULL";
  return inDatabase(office, (database) => database.prepare(sql).all()).length === 0;
}

/** Charges for learning in a channel. */
export function spentOnLessons(office: Pick<SlackOffice, "bot">, channel: string): readonly unknown[] {
  const sql = `SELECT personId, model, turn, costUsd > 0 AS isPriced FROM Usage WHERE runId LIKE 'learn:%' AND channelId = ?`;
  return inDatabase(office, (database) => database.prepare(sql).all(`slack:${channel}`));
}

export function inDatabase<T>({ bot }: Pick<SlackOffice, "bot">, work: (database: BetterSqlite3.Database) => T): T {
  const database = new BetterSqlite3(path.join(bot.home, "data/deckhand.db"));
  try {
    return work(database);
  } finally {
    database.close();
  }
}
