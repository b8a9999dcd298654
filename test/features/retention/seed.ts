import { createHash } from "node:crypto";
import type { RetentionWorld } from "./retention-world.ts";

export interface Seeded {
  readonly id: string;
  /** A word that occurs in all content of the session. */
  readonly word: string;
  readonly platform?: "slack" | "web";
  /** `C1` */
  readonly channel?: string;
  readonly threadId?: string;
  readonly person?: string;
  readonly personName?: string;
  /** The session whose sub-agent this is, if any. */
  readonly parentId?: string;
  /** Whether its run has ended. */
  readonly isOver?: boolean;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** Contents that were kept and that it refers to beside its own. */
  readonly shares?: readonly string[];
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

let seq = 0;

/** A session with a row in each table that may hold something of one, and its files on the disk. */
export async function seedSession(world: RetentionWorld, seeded: Seeded): Promise<void> {
  const { id, word, platform = "slack", channel = "C1", threadId = `${id}.1` } = seeded;
  const { person = "slack:U1", personName = "ana", parentId, isOver = true, at = Date.now(), shares = [] } = seeded;
  seq += 1;
  const when = new Date(at);
  const runId = `run_${id}`;
  const workspaceId = `${platform}:T1`;
  const channelId = `${platform}:${channel}`;
  const thread = JSON.stringify({ platform, workspaceId: "T1", channelId: channel, threadId });
  const author = { id: person, name: personName };
  const said = [
    { type: "text", text: `please look at ${word}` },
    { type: "text", text: `[Attached: ${word}.txt (text/plain, 9 bytes). It is saved as attachments/${word}.txt.]` },
  ];
  const body = {
    kind: "message",
    author,
    text: word,
    quoted: [word],
    attachments: [],
    thread: JSON.parse(thread),
    messageId: id,
    at,
    addressed: true,
    joinsThread: false,
  };
  const content = `content of ${word}`;
  const states = [content, ...shares].map((each) => ({
    path: word,
    sha256: sha256(each),
    action: "wrote",
    before: null,
  }));
  const label = JSON.stringify({ who: [person], holds: ["channel"] });
  const task = parentId === undefined ? null : JSON.stringify({ agent: "explore", description: word });
  world.put(`snapshots/${sha256(content)}`, content);
  world.put(`snapshots/${sha256(content)}.0123456789abcdef`, "755");
  for (const share of shares) world.put(`snapshots/${sha256(share)}`, share);
  world.put(`sandbox/${platform}-${channel}/attachments/${word}.txt`, word);
  if (parentId !== undefined) world.put(`executors/${id}/tree/notes.md`, word);
  const fileId = sha256(`file ${word}`).slice(0, 40);
  await world.store.transaction((tx) =>
    tx.tables(async (db) => {
      const workspace = { id: workspaceId, platform, name: "Acme", createdAt: when };
      await db.workspace.upsert({ where: { id: workspaceId }, create: workspace, update: {} });
      const channelRow = { id: channelId, workspaceId, name: "ops", kind: "channel", createdAt: when };
      await db.channel.upsert({ where: { id: channelId }, create: channelRow, update: {} });
      const child =
        parentId === undefined ? {} : { parentId, parentRunId: `run_${parentId}`, parentCallId: "call", task };
      await db.session.create({
        data: {
          id,
          key: parentId === undefined ? `${platform}:T1:${channel}:${threadId}` : `child:run_${parentId}:${id}`,
          channelId,
          thread,
          agent: "build",
          people: JSON.stringify([person]),
          settings: JSON.stringify({ skill: word }),
          plan: word,
          createdBy: person,
          createdAt: when,
          updatedAt: when,
          ...child,
        },
      });
      const event = { sessionId: id, body: JSON.stringify(body), wakes: true, createdAt: when, dueAt: when };
      await db.inboxEvent.create({
        data: { ...event, seq, key: `${platform}:T1:${channel}:${id}`, state: "taken", runId },
      });
      await db.inboxEvent.create({
        data: { ...event, seq: (seq += 1), key: `note:${id}`, state: "waiting", wakes: false },
      });
      const ended = isOver ? { status: "ended", outcome: "end_turn", endedAt: when } : { status: "running" };
      await db.run.create({ data: { id: runId, sessionId: id, eventSeq: seq - 1, startedAt: when, ...ended } });
      await db.journalEntry.create({ data: { runId, key: "step", value: JSON.stringify(word), createdAt: when } });
      const message = { sessionId: id, runId, createdAt: when, label };
      const written = { authorId: person, authorName: personName };
      const answer = JSON.stringify([{ type: "text", text: `answered ${word}` }]);
      await db.message.createMany({
        data: [
          { ...message, id: `${id}-1`, seq: 1, role: "user", content: JSON.stringify(said), ...written },
          { ...message, id: `${id}-2`, seq: 2, role: "assistant", content: answer },
        ],
      });
      await db.toolCall.create({
        data: {
          runId,
          callId: "call",
          sessionId: id,
          turn: 1,
          position: 0,
          name: "write",
          input: JSON.stringify({ text: word }),
          status: "ended",
          result: JSON.stringify(word),
          files: JSON.stringify(states),
          toolState: word,
          endedAt: when,
        },
      });
      const projection = { evictedResults: 0, summarisedMessages: 1, summaryMadeAt: 2, failures: 0, createdAt: when };
      await db.compaction.create({ data: { sessionId: id, number: 1, runId, summary: word, label, ...projection } });
      const spent = { inputTokens: 10, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.5 };
      const asked = { runId, sessionId: id, personId: person, channelId, model: "anthropic/claude-sonnet-5-5" };
      await db.usage.create({ data: { ...asked, turn: 1, stopReason: "end_turn", ...spent, createdAt: when } });
      const posted = JSON.stringify({ messageId: `m-${id}`, word });
      const closing = JSON.stringify({ lane: "answer", markdown: word, tone: "plain", buttons: [] });
      const post = { key: `${runId}:answer`, runId, sessionId: id, state: "sent", posted, closing, intentAt: when };
      await db.post.create({ data: { ...post, shownAt: when, sentAt: when } });
      const calls = JSON.stringify([{ tool: "bash", input: word, title: word }]);
      const people = JSON.stringify({ requester: author, others: [], mayRemember: true });
      const decision = { decidedBy: `@${personName}`, decidedAt: when, expiresAt: when, createdAt: when };
      await db.approval.create({
        data: { id: `${runId}:1`, sessionId: id, runId, turn: 1, calls, people, status: "allowed", ...decision },
      });
      const grant = { channelId, personId: person, grantedBy: `@${personName}`, createdAt: when };
      await db.grant.create({ data: { ...grant, id: `${id}-own`, sessionId: id, key: `bash:${word}`, label: word } });
      await db.grant.create({
        data: { ...grant, id: `${id}-all`, sessionId: null, givenIn: id, key: "bash:ls", label: "ls" },
      });
      const question = { kind: "question", askedOf: person, body: JSON.stringify({ word }), status: "answered" };
      await db.question.create({
        data: {
          id: `${runId}:q`,
          sessionId: id,
          runId,
          ...question,
          answer: word,
          answeredBy: `@${personName}`,
          createdAt: when,
        },
      });
      await db.jobOccurrence.create({
        data: {
          id: `occ-${id}`,
          jobId: `job-${id}`,
          jobName: "nightly",
          channelId,
          scheduledFor: when,
          trigger: "schedule",
          status: "succeeded",
          sessionId: id,
          runId,
          message: word,
          error: word,
          costUsd: 0.5,
          reportHash: word,
          createdAt: when,
        },
      });
      await db.runFeedback.create({ data: { runId, personId: person, channelId, value: "up", at: when } });
      const undone = JSON.stringify([{ path: word, from: null, to: sha256(content) }]);
      await db.runUndo.create({
        data: { runId, sessionId: id, state: "undone", files: undone, by: `@${personName}`, at: when },
      });
      const memory = await db.memory.create({
        data: {
          id: `mem-${id}`,
          text: word,
          kind: "semantic",
          scope: `channel:${channelId}`,
          isPrivate: false,
          origin: "people",
          authorId: person,
          authorName: personName,
          channelId,
          thread,
          source: `${channelId}:${threadId}`,
          said: "2026-01-01",
          createdAt: when,
          usedAt: when,
          runId,
          terms: word,
          vector: { create: { model: "m", signs: Buffer.from(word), bytes: Buffer.from(word), createdAt: when } },
        },
      });
      await db.memoryUse.create({ data: { runId, seq: memory.seq } });
      await db.memoryLesson.create({ data: { sessionId: id, after: 0, dueAt: when } });
      await db.instructionCard.create({
        data: {
          channelId,
          path: word,
          sha256: sha256(word),
          runId,
          requesterId: person,
          requesterName: personName,
          createdAt: when,
        },
      });
      await db.budgetReservation.create({
        data: { ...asked, inputTokens: 1, inputUsd: 0, calls: 0, costUsd: 0, tokens: 0, createdAt: when },
      });
      if (platform !== "web") return;
      await db.webThread.upsert({
        where: { id: threadId },
        create: { id: threadId, title: word, createdAt: when, updatedAt: when },
        update: {},
      });
      const files = [{ id: fileId, name: word, mediaType: "text/plain", size: 9 }];
      const web = { threadId, at: when };
      const theirs = JSON.stringify({ by: "person", author, markdown: word, files });
      const ours = JSON.stringify({ by: "deckhand", markdown: word, files: [] });
      const key = `${platform}:T1:${channel}:${id}`;
      await db.webMessage.create({
        data: { ...web, id: `${id}-w1`, key, position: seq * 2, seq: seq * 2, fromPerson: true, body: theirs },
      });
      await db.webMessage.create({
        data: {
          ...web,
          id: `${id}-w2`,
          key: `${runId}:answer`,
          position: seq * 2 + 1,
          seq: seq * 2 + 1,
          fromPerson: false,
          body: ours,
        },
      });
      await db.webFile.create({ data: { id: fileId, name: word, mediaType: "text/plain", data: Buffer.from(word) } });
    }),
  );
}
