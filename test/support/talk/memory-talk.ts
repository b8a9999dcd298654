import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { type Reply, text } from "../model/model-script.ts";
import type { RecordedRequest } from "../model/model-server.ts";
import { conversationOf, type SlackOffice } from "./slack-talk.ts";

/** People and what is remembered of them, in an office in Slack. */

/** A channel that ana, bob and the bot are in, and nobody else sees. */
export function privateChannel(office: SlackOffice): string {
  const id = office.channel();
  const { workspace } = office.slack;
  const members = new Set(["U0ANA", "U0BOB", workspace.botUserId]);
  workspace.channels.set(id, { id, name: "board", kind: "channel", isPrivate: true, members, gone: false });
  return id;
}

/** What only the person is shown of a command. */
export async function typed(
  { slack }: SlackOffice,
  line: string,
  { channel, user = "U0ANA", name = "memory" }: { channel: string; user?: string; name?: string },
): Promise<string> {
  const command = slack.people.command(`/${name}`, line, { channel, user });
  await command.answered;
  return JSON.stringify(command.response());
}

/** What the model is sent for a question in a new thread. */
export async function asked(
  office: SlackOffice,
  words: string,
  { channel, user = "U0ANA" }: { channel: string; user?: string },
): Promise<string> {
  await office.talk({ text: words, channel, user }).answered(1);
  return conversationOf(office.requestsAbout(words).findLast((request) => !isLesson(request))?.body);
}

/** The request that learns from a thread. */
export function isLesson({ body }: Pick<RecordedRequest, "body">): boolean {
  return JSON.stringify(body).includes("You keep a team's memory");
}

export interface ProposedNote {
  readonly text: string;
  readonly kind?: "fact" | "decision" | "preference" | "howto";
  /** What a line holds that says it: a thread without such a line does not bring the note up. */
  readonly says: string;
  /** What a known memory holds that it takes the place of, or says. */
  readonly replaces?: string;
  readonly same?: string;
}

/** A model's notes of a thread, with the numbers that the request gives. */
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

/** Everything that is remembered was told so much earlier. */
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

/** What is remembered, as the database has it. */
export function rowsOf(office: Pick<SlackOffice, "bot">): readonly MemoryRow[] {
  const sql = "SELECT text, scope, origin, helped, usedAt, endedAt FROM Memory ORDER BY seq";
  return inDatabase(office, (database) => database.prepare<[], MemoryRow>(sql).all());
}

/** Whether nothing waits to be learned. */
export function isAllLearned(office: Pick<SlackOffice, "bot">): boolean {
  const sql = "SELECT 1 FROM MemoryLesson WHERE dueAt IS NOT NULL";
  return inDatabase(office, (database) => database.prepare(sql).all()).length === 0;
}

/** What learning in a channel has been charged. */
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
