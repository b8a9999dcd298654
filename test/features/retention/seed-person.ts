import type { RetentionWorld } from "./retention-world.ts";
import { seedSession, sha256 } from "./seed.ts";

/** Whose data goes. */
export const PERSON = "slack:U0HERON";
const NAME = "heronname";
const DAY_MS = 86_400_000;
/** Behind whatever was said in the thread before. */
const LAST = 1_000_000;

/**
 * A session that nobody else has written in, with the word `alonegoes`; and one of somebody else's, in which the person has said
 * `sharedgoes` and the others `grebestays`; and what else there may be of them.
 */
export async function seedPerson(world: RetentionWorld): Promise<void> {
  const at = Date.now() - 2 * DAY_MS;
  const when = new Date(at);
  const whose = { person: PERSON, personName: NAME, at };
  await seedSession(world, { id: "ses_alone", word: "alonegoes", platform: "web", threadId: "alone", ...whose });
  await seedSession(world, {
    id: "ses_both",
    word: "grebestays",
    platform: "web",
    threadId: "both",
    person: "slack:U2",
    at,
  });
  const author = { id: PERSON, name: NAME };
  world.put("sandbox/web-C1/attachments/sharedgoes.txt", "sharedgoes");
  const fileId = sha256("sharedgoes").slice(0, 40);
  await world.store.transaction((tx) =>
    tx.tables(async (db) => {
      const people = JSON.stringify(["slack:U2", PERSON]);
      await db.session.update({ where: { id: "ses_both" }, data: { people } });
      const attached = "[Attached: sharedgoes.txt (text/plain, 9 bytes). It is saved as attachments/sharedgoes.txt.]";
      const content = JSON.stringify([
        { type: "text", text: "sharedgoes" },
        { type: "text", text: attached },
      ]);
      const label = JSON.stringify({ who: [PERSON], holds: ["channel"] });
      const written = { authorId: PERSON, authorName: NAME, label, createdAt: when };
      const said = { sessionId: "ses_both", runId: "run_ses_both", role: "user", ...written };
      await db.message.create({ data: { id: "theirs", seq: 3, content, ...said } });
      const more = Array.from({ length: 250 }, (_, index) => ({
        id: `more-${index}`,
        seq: 10 + index,
        content,
        ...said,
      }));
      await db.message.createMany({ data: more });
      const thread = { platform: "web", workspaceId: "T1", channelId: "C1", threadId: "both" };
      const place = { thread, messageId: "said", at, addressed: true, joinsThread: false };
      const body = { kind: "message", author, text: "sharedgoes", quoted: ["sharedgoes"], attachments: [], ...place };
      const event = {
        sessionId: "ses_both",
        state: "taken",
        runId: "run_ses_both",
        wakes: true,
        dueAt: when,
        createdAt: when,
      };
      await db.inboxEvent.create({ data: { key: "web:said", body: JSON.stringify(body), ...event } });
      const note = { kind: "note", by: author, text: "sharedgoes", at };
      await db.inboxEvent.create({ data: { key: "web:note", body: JSON.stringify(note), ...event } });
      await db.approval.updateMany({
        where: { sessionId: "ses_both" },
        data: {
          people: JSON.stringify({ requester: { id: "slack:U2", name: "bob" }, others: [author], mayRemember: true }),
        },
      });
      const answer = { answer: "sharedgoes", answeredBy: JSON.stringify(author), askedOf: PERSON };
      await db.question.updateMany({ where: { sessionId: "ses_both" }, data: answer });
      await db.compaction.updateMany({ where: { sessionId: "ses_both" }, data: { summary: "sharedgoes" } });
      const step = { runId: "run_ses_both", key: "said", value: '"sharedgoes"', createdAt: when };
      await db.journalEntry.create({ data: step });
      const shown = {
        by: "person",
        author,
        markdown: "sharedgoes",
        files: [{ id: fileId, name: "sharedgoes" }],
        tone: "plain",
      };
      const web = { threadId: "both", key: "web:said", position: LAST, seq: LAST, fromPerson: true, at: when };
      await db.webMessage.create({ data: { id: "theirs", body: JSON.stringify(shown), ...web } });
      const data = Buffer.from("sharedgoes");
      await db.webFile.create({ data: { id: fileId, name: "sharedgoes", mediaType: "text/plain", data } });
      const vote = { runId: "run_ses_both", personId: PERSON, channelId: "web:C1", value: "up", at: when };
      await db.runFeedback.create({ data: vote });
      const grant = { channelId: "web:C1", key: "bash:ls", label: "ls", grantedBy: "@bob", createdAt: when };
      await db.grant.create({ data: { ...grant, id: "by-both", personId: "slack:U2", words: people } });
      await db.memory.create({
        data: {
          id: "about",
          text: "sharedgoes",
          kind: "semantic",
          scope: `person:${PERSON}`,
          isPrivate: false,
          origin: "people",
          authorId: "slack:U2",
          authorName: "bob",
          channelId: "web:C1",
          source: "elsewhere",
          said: "2026-01-01",
          createdAt: when,
          usedAt: when,
          terms: "sharedgoes",
        },
      });
      await db.memoryPause.create({ data: { channelId: "web:C9", byId: PERSON, createdAt: when } });
      await db.fileLabel.create({ data: { root: "/r", path: "p", sha256: sha256("p"), label } });
      const site = { ownerId: PERSON, ownerName: NAME, createdAt: when };
      await db.site.create({ data: { name: "site", channelId: "web:C1", version: 1, ...site } });
      const version = { directory: "d", key: "k", files: 1, bytes: 1, byId: PERSON, byName: NAME, createdAt: when };
      await db.siteVersion.create({ data: { siteName: "site", number: 1, ...version } });
      await db.accountLink.create({
        data: { personId: PERSON, personName: NAME, accountName: "heron", createdAt: when },
      });
      await db.job.create({ data: jobRow(when) });
      await db.jobOccurrence.updateMany({
        where: { sessionId: "ses_both" },
        data: { jobId: "theirs", jobName: "sharedgoes" },
      });
    }),
  );
}

function jobRow(when: Date) {
  return {
    id: "theirs",
    name: "sharedgoes",
    nameKey: "web:T1/sharedgoes",
    source: "chat",
    channelId: "web:C1",
    thread: "{}",
    ownerId: PERSON,
    ownerName: NAME,
    timezone: "UTC",
    prompt: "sharedgoes",
    mode: "write",
    tools: "[]",
    timeoutMs: 1,
    catchUp: "none",
    overlap: "skip",
    attempts: 1,
    jitterMs: 0,
    silentWhenUnchanged: false,
    pauseAfter: 3,
    enabled: true,
    accountedTo: when,
    createdAt: when,
    updatedAt: when,
  };
}
