CREATE TABLE "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  );
CREATE SCHEMA IF NOT EXISTS "public";
CREATE TABLE "Workspace" (
    "id" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "Workspace_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "Channel" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "Channel_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "Session" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "thread" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "people" TEXT NOT NULL,
    "createdBy" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "Session_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "InboxEvent" (
    "seq" SERIAL NOT NULL,
    "key" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "wakes" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL,
    "runId" TEXT,
    "dueAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "InboxEvent_pkey" PRIMARY KEY ("seq")
);
CREATE TABLE "Run" (
    "id" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "eventSeq" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "cancelledBy" TEXT,
    "outcome" TEXT,
    "errorCode" TEXT,
    "turns" INTEGER NOT NULL DEFAULT 0,
    "startedAt" TIMESTAMP(3) NOT NULL,
    "endedAt" TIMESTAMP(3),
    CONSTRAINT "Run_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "JournalEntry" (
    "runId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "JournalEntry_pkey" PRIMARY KEY ("runId","key")
);
CREATE TABLE "Message" (
    "id" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "authorId" TEXT,
    "authorName" TEXT,
    "context" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "Message_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "ToolCall" (
    "runId" TEXT NOT NULL,
    "callId" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "input" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "intent" TEXT,
    "result" TEXT,
    "files" TEXT,
    "durationMs" INTEGER,
    "beganAt" TIMESTAMP(3),
    "endedAt" TIMESTAMP(3),
    CONSTRAINT "ToolCall_pkey" PRIMARY KEY ("runId","callId")
);
CREATE TABLE "Usage" (
    "runId" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "sessionId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "stopReason" TEXT NOT NULL,
    "inputTokens" INTEGER NOT NULL,
    "outputTokens" INTEGER NOT NULL,
    "cacheReadTokens" INTEGER NOT NULL,
    "cacheWriteTokens" INTEGER NOT NULL,
    "costUsd" DOUBLE PRECISION,
    "createdAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "Usage_pkey" PRIMARY KEY ("runId","turn")
);
CREATE TABLE "Post" (
    "key" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "posted" TEXT,
    "intentAt" TIMESTAMP(3) NOT NULL,
    "sentAt" TIMESTAMP(3),
    CONSTRAINT "Post_pkey" PRIMARY KEY ("key")
);
CREATE TABLE "WebThread" (
    "id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "WebThread_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "WebMessage" (
    "id" TEXT NOT NULL,
    "threadId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "fromPerson" BOOLEAN NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "body" TEXT NOT NULL,
    CONSTRAINT "WebMessage_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "WebFile" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "mediaType" TEXT NOT NULL,
    "data" BYTEA NOT NULL,
    CONSTRAINT "WebFile_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "Channel_workspaceId_idx" ON "Channel"("workspaceId");
CREATE UNIQUE INDEX "Session_key_key" ON "Session"("key");
CREATE INDEX "Session_channelId_idx" ON "Session"("channelId");
CREATE INDEX "Session_updatedAt_idx" ON "Session"("updatedAt");
CREATE UNIQUE INDEX "InboxEvent_key_key" ON "InboxEvent"("key");
CREATE INDEX "InboxEvent_sessionId_state_seq_idx" ON "InboxEvent"("sessionId", "state", "seq");
CREATE INDEX "InboxEvent_state_dueAt_idx" ON "InboxEvent"("state", "dueAt");
CREATE INDEX "InboxEvent_runId_idx" ON "InboxEvent"("runId");
CREATE UNIQUE INDEX "Run_eventSeq_key" ON "Run"("eventSeq");
CREATE INDEX "Run_sessionId_status_idx" ON "Run"("sessionId", "status");
CREATE INDEX "Run_status_idx" ON "Run"("status");
CREATE INDEX "Message_runId_idx" ON "Message"("runId");
CREATE UNIQUE INDEX "Message_sessionId_seq_key" ON "Message"("sessionId", "seq");
CREATE INDEX "ToolCall_sessionId_status_idx" ON "ToolCall"("sessionId", "status");
CREATE INDEX "Usage_sessionId_idx" ON "Usage"("sessionId");
CREATE INDEX "Usage_createdAt_idx" ON "Usage"("createdAt");
CREATE INDEX "Post_runId_idx" ON "Post"("runId");
CREATE INDEX "Post_state_idx" ON "Post"("state");
CREATE INDEX "WebThread_updatedAt_idx" ON "WebThread"("updatedAt");
CREATE UNIQUE INDEX "WebMessage_key_key" ON "WebMessage"("key");
CREATE UNIQUE INDEX "WebMessage_seq_key" ON "WebMessage"("seq");
CREATE INDEX "WebMessage_threadId_position_idx" ON "WebMessage"("threadId", "position");
CREATE INDEX "WebMessage_fromPerson_at_idx" ON "WebMessage"("fromPerson", "at");
ALTER TABLE "Channel" ADD CONSTRAINT "Channel_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "Session" ADD CONSTRAINT "Session_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "InboxEvent" ADD CONSTRAINT "InboxEvent_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "Run" ADD CONSTRAINT "Run_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "Message" ADD CONSTRAINT "Message_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "WebMessage" ADD CONSTRAINT "WebMessage_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "WebThread"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "Post" ADD COLUMN     "closing" TEXT;
CREATE TABLE "BudgetReservation" (
    "runId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "calls" INTEGER NOT NULL,
    "costUsd" DOUBLE PRECISION NOT NULL,
    "tokens" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "BudgetReservation_pkey" PRIMARY KEY ("runId")
);
CREATE TABLE "BudgetLock" (
    "id" TEXT NOT NULL,
    "taken" INTEGER NOT NULL,
    CONSTRAINT "BudgetLock_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "Compaction" (
    "sessionId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "runId" TEXT NOT NULL,
    "evictedResults" INTEGER NOT NULL,
    "summary" TEXT,
    "summarisedMessages" INTEGER NOT NULL,
    "summaryMadeAt" INTEGER NOT NULL,
    "failures" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "Compaction_pkey" PRIMARY KEY ("sessionId","number")
);
ALTER TABLE "Session" ADD COLUMN     "parentCallId" TEXT,
ADD COLUMN     "parentId" TEXT,
ADD COLUMN     "parentRunId" TEXT,
ADD COLUMN     "plan" TEXT,
ADD COLUMN     "settings" TEXT NOT NULL DEFAULT '{}',
ADD COLUMN     "task" TEXT;
ALTER TABLE "InboxEvent" ADD COLUMN     "resumes" BOOLEAN NOT NULL DEFAULT false;
CREATE TABLE "Approval" (
    "id" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "calls" TEXT NOT NULL,
    "people" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "scope" TEXT,
    "decidedBy" TEXT,
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "decidedAt" TIMESTAMP(3),
    CONSTRAINT "Approval_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "Grant" (
    "id" TEXT NOT NULL,
    "sessionId" TEXT,
    "channelId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "grantedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "revokedAt" TIMESTAMP(3),
    CONSTRAINT "Grant_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "Question" (
    "id" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "askedOf" TEXT,
    "body" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "answer" TEXT,
    "answeredBy" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "answeredAt" TIMESTAMP(3),
    CONSTRAINT "Question_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "Approval_sessionId_status_idx" ON "Approval"("sessionId", "status");
CREATE INDEX "Grant_channelId_personId_idx" ON "Grant"("channelId", "personId");
CREATE INDEX "Grant_sessionId_idx" ON "Grant"("sessionId");
CREATE INDEX "Question_sessionId_status_idx" ON "Question"("sessionId", "status");
CREATE INDEX "Session_parentId_idx" ON "Session"("parentId");
ALTER TABLE "ToolCall" ADD COLUMN     "carry" TEXT;
CREATE TABLE "Job" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "nameKey" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "thread" TEXT NOT NULL,
    "ownerId" TEXT NOT NULL,
    "ownerName" TEXT NOT NULL,
    "cron" TEXT,
    "dueOnce" TIMESTAMP(3),
    "timezone" TEXT NOT NULL,
    "prompt" TEXT NOT NULL,
    "agent" TEXT,
    "skill" TEXT,
    "model" TEXT,
    "mode" TEXT NOT NULL,
    "tools" TEXT NOT NULL,
    "timeoutMs" INTEGER NOT NULL,
    "budgetUsd" DOUBLE PRECISION,
    "catchUp" TEXT NOT NULL,
    "overlap" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "jitterMs" INTEGER NOT NULL,
    "silentWhenUnchanged" BOOLEAN NOT NULL,
    "pauseAfter" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "pausedBecause" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "accountedTo" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "Job_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "JobOccurrence" (
    "id" TEXT NOT NULL,
    "jobId" TEXT NOT NULL,
    "jobName" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "scheduledFor" TIMESTAMP(3) NOT NULL,
    "trigger" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "sessionId" TEXT,
    "runId" TEXT,
    "executedAt" TIMESTAMP(3),
    "endedAt" TIMESTAMP(3),
    "success" BOOLEAN NOT NULL DEFAULT false,
    "message" TEXT,
    "error" TEXT,
    "costUsd" DOUBLE PRECISION,
    "durationMs" INTEGER,
    "reportHash" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "JobOccurrence_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "Job_nameKey_key" ON "Job"("nameKey");
CREATE INDEX "Job_enabled_idx" ON "Job"("enabled");
CREATE INDEX "Job_channelId_idx" ON "Job"("channelId");
CREATE INDEX "JobOccurrence_jobId_status_idx" ON "JobOccurrence"("jobId", "status");
CREATE INDEX "JobOccurrence_status_idx" ON "JobOccurrence"("status");
CREATE INDEX "JobOccurrence_createdAt_idx" ON "JobOccurrence"("createdAt");
CREATE UNIQUE INDEX "JobOccurrence_jobId_scheduledFor_key" ON "JobOccurrence"("jobId", "scheduledFor");
CREATE TABLE "RunFeedback" (
    "runId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "RunFeedback_pkey" PRIMARY KEY ("runId","personId")
);
CREATE TABLE "RunUndo" (
    "runId" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "files" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "RunUndo_pkey" PRIMARY KEY ("runId")
);
CREATE INDEX "RunFeedback_at_idx" ON "RunFeedback"("at");
CREATE INDEX "RunUndo_sessionId_at_idx" ON "RunUndo"("sessionId", "at");
CREATE TABLE "PlatformPresence" (
    "platform" TEXT NOT NULL,
    "seenAt" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "PlatformPresence_pkey" PRIMARY KEY ("platform")
);
CREATE TABLE "AnsweredMessage" (
    "key" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "AnsweredMessage_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "AnsweredMessage_at_idx" ON "AnsweredMessage"("at");
DELETE FROM "BudgetReservation";
ALTER TABLE "Usage" DROP CONSTRAINT "Usage_pkey",
ADD COLUMN     "cut" INTEGER NOT NULL DEFAULT 0,
ADD CONSTRAINT "Usage_pkey" PRIMARY KEY ("runId", "turn", "cut");
ALTER TABLE "BudgetReservation" DROP COLUMN "id",
ADD COLUMN     "inputTokens" INTEGER NOT NULL,
ADD COLUMN     "inputUsd" DOUBLE PRECISION,
ADD COLUMN     "model" TEXT NOT NULL;
SET session_replication_role = replica;
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmjjvdwhqfdz4pt', '6cf89e060b4ad3114effa963fbb56ae23cc66a1a97f234ab750eedf6d226a4be', '2026-11-23 07:25:39.301+00', '20261121003130_init', NULL, NULL, '2026-11-23 07:25:39.282+00', '1');
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmk9k27jn3n05sj', '01bd9eed1b4d302a6914e64be511026b39aba3715147f4b2e8c96eb6f065ed24', '2026-11-23 07:25:39.306+00', '20261121013518_post_closing', NULL, NULL, '2026-11-23 07:25:39.305+00', '1');
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmkcftw3gzx4vzr', 'f847f73cf8b722429e48ad85a413bf906c2e43f26930eb6103cff74b7e48c331', '2026-11-23 07:25:39.31+00', '20261121015004_budgets', NULL, NULL, '2026-11-23 07:25:39.308+00', '1');
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmkfw715zykknwh', '04f54d5936c23078b9cfce0e6596a77e63a6ddbcd0e79dd1e8ec30dd332cc9ff', '2026-11-23 07:25:39.313+00', '20261121015006_compaction', NULL, NULL, '2026-11-23 07:25:39.311+00', '1');
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmkhktgtk9dfcws', 'ca74c950f231eeb4c730cdf6f0adca022653ee9c3a902e5c5ba7348be2840fc8', '2026-11-23 07:25:39.32+00', '20261121025416_approvals', NULL, NULL, '2026-11-23 07:25:39.313+00', '1');
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmksrxkcts2z8wm', '96f1cc3c1012edbd1008cbdda5d78406afdbcfd62949f5e07db3429a2bd8ef57', '2026-11-23 07:25:39.322+00', '20261121030306_carry', NULL, NULL, '2026-11-23 07:25:39.321+00', '1');
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmktsz36faq3sgk', '0bc1ea68afcdb16b6a9103f33bb14f3caae1917d9cfd5c91077e79144dd9a9fd', '2026-11-23 07:25:39.329+00', '20261121030450_jobs', NULL, NULL, '2026-11-23 07:25:39.322+00', '1');
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmm2hd2306s4gmw', 'ad397efc7889836e746bd1899ae99ee1e0fd76ead439cf8c7bdadbc8726fbfdf', '2026-11-23 07:25:39.332+00', '20261121040637_feedback_and_undo', NULL, NULL, '2026-11-23 07:25:39.33+00', '1');
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmm4ftd1wad3ac8', 'ffc62ea022d1b341bfaae652c5459ae023d1954b5000feb43c554e75613e02f2', '2026-11-23 07:25:39.334+00', '20261121040914_first_contact', NULL, NULL, '2026-11-23 07:25:39.332+00', '1');
INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count") VALUES ('mig_1m83mqmm64y72wgs0g38', '82c8838ab6e370cd93c7e204c633eef15edb3cf01b5355b906661101ede9899f', '2026-11-23 07:25:39.336+00', '20261122104255_charge_calls_that_were_cut_off', NULL, NULL, '2026-11-23 07:25:39.334+00', '1');
INSERT INTO "JournalEntry" ("runId", "key", "value", "createdAt") VALUES ('run_1m83mqmy5eez5gqjjrry', 'begun', '{"settings":{},"mode":"write","skillTools":[]}', '2026-11-23 07:25:39.669');
INSERT INTO "JournalEntry" ("runId", "key", "value", "createdAt") VALUES ('run_1m83mqmy5eez5gqjjrry', 'input', 'null', '2026-11-23 07:25:39.702');
INSERT INTO "JournalEntry" ("runId", "key", "value", "createdAt") VALUES ('run_1m83mqmy5eez5gqjjrry', 'turn:1:response', 'null', '2026-11-23 07:25:39.763');
INSERT INTO "JournalEntry" ("runId", "key", "value", "createdAt") VALUES ('run_1m83mqmy5eez5gqjjrry', 'approval:1', 'null', '2026-11-23 07:25:40.071');
INSERT INTO "Workspace" ("id", "platform", "name", "createdAt") VALUES ('web:local', 'web', 'This computer', '2026-11-23 07:25:39.621');
INSERT INTO "Channel" ("id", "workspaceId", "name", "kind", "createdAt") VALUES ('web:main', 'web:local', 'web', 'dm', '2026-11-23 07:25:39.621');
INSERT INTO "Run" ("id", "sessionId", "eventSeq", "status", "cancelledBy", "outcome", "errorCode", "turns", "startedAt", "endedAt") VALUES ('run_1m83mqmy5eez5gqjjrry', 'ses_1m83mqmx52wana5gwcfy', '1', 'parked', NULL, NULL, NULL, '1', '2026-11-23 07:25:39.659', NULL);
INSERT INTO "Message" ("id", "sessionId", "runId", "seq", "role", "content", "authorId", "authorName", "context", "createdAt") VALUES ('msg_1m83mqmzne1enegvjcyz', 'ses_1m83mqmx52wana5gwcfy', 'run_1m83mqmy5eez5gqjjrry', '1', 'user', '[{"type":"text","text":"create notes.txt containing hello"}]', 'web:local', 'operator', 'false', '2026-11-23 07:25:39.596');
INSERT INTO "Message" ("id", "sessionId", "runId", "seq", "role", "content", "authorId", "authorName", "context", "createdAt") VALUES ('msg_1m83mqn1hxax9ef1zwaq', 'ses_1m83mqmx52wana5gwcfy', 'run_1m83mqmy5eez5gqjjrry', '2', 'assistant', '[{"type":"text","text":"I''ll create `notes.txt`."},{"type":"tool_use","id":"call_1m83mqn1h73x62da5h2k","name":"write","input":{"path":"notes.txt","content":"hello\n"},"origin":{"provider":"demo","model":"scripted"}}]', NULL, NULL, 'false', '2026-11-23 07:25:39.761');
INSERT INTO "WebThread" ("id", "title", "createdAt", "updatedAt") VALUES ('11111111-1111-4111-8111-111111111111', 'create notes.txt containing hello', '2026-11-23 07:25:39.596', '2026-11-23 07:25:40.107');
INSERT INTO "WebMessage" ("id", "threadId", "key", "position", "seq", "fromPerson", "at", "body") VALUES ('11111111-1111-4111-8111-111111111111', '11111111-1111-4111-8111-111111111111', 'web:11111111-1111-4111-8111-111111111111', '1', '1', 'true', '2026-11-23 07:25:39.596', '{"by":"person","markdown":"create notes.txt containing hello","tone":"plain","buttons":[],"files":[],"signs":[]}');
INSERT INTO "WebMessage" ("id", "threadId", "key", "position", "seq", "fromPerson", "at", "body") VALUES ('webmsg_1m83mqncbf2vnnxzb927', '11111111-1111-4111-8111-111111111111', 'run_1m83mqmy5eez5gqjjrry:approval:1', '2', '2', 'false', '2026-11-23 07:25:40.107', '{"by":"deckhand","markdown":"⏸ **Create notes.txt?**   asked by @operator\n```diff\n@@ -0,0 +1,1 @@\n+hello\n\n```\nmay change files in the sandbox of this channel · no network · 30 s · 128 MB","footer":"Waiting for @operator · expires in 60 min · session and always remember: changing notes.txt","tone":"plain","lane":"approval","buttons":[{"id":"approve:y:run_1m83mqmy5eez5gqjjrry:1","label":"Allow once","style":"primary"},{"id":"approve:n:run_1m83mqmy5eez5gqjjrry:1","label":"Deny","style":"danger"},{"id":"approve:a:run_1m83mqmy5eez5gqjjrry:1","label":"Allow for this session","style":"default"},{"id":"approve:A:run_1m83mqmy5eez5gqjjrry:1","label":"Always allow","style":"default"}],"files":[],"signs":[]}');
INSERT INTO "Post" ("key", "runId", "sessionId", "state", "posted", "intentAt", "sentAt", "closing") VALUES ('run_1m83mqmy5eez5gqjjrry:approval:1', 'run_1m83mqmy5eez5gqjjrry', 'ses_1m83mqmx52wana5gwcfy', 'sent', '{"platform":"web","channelId":"main","messageId":"webmsg_1m83mqncbf2vnnxzb927"}', '2026-11-23 07:25:40.098', '2026-11-23 07:25:40.125', NULL);
INSERT INTO "Session" ("id", "key", "channelId", "thread", "agent", "epoch", "people", "createdBy", "createdAt", "updatedAt", "parentCallId", "parentId", "parentRunId", "plan", "settings", "task") VALUES ('ses_1m83mqmx52wana5gwcfy', 'web:local:main:11111111-1111-4111-8111-111111111111', 'web:main', '{"platform":"web","workspaceId":"local","channelId":"main","threadId":"11111111-1111-4111-8111-111111111111"}', 'build', '1', '["web:local"]', 'web:local', '2026-11-23 07:25:39.621', '2026-11-23 07:25:40.135', NULL, NULL, NULL, NULL, '{}', NULL);
INSERT INTO "InboxEvent" ("seq", "key", "sessionId", "body", "wakes", "state", "runId", "dueAt", "createdAt", "resumes") VALUES ('1', 'web:11111111-1111-4111-8111-111111111111', 'ses_1m83mqmx52wana5gwcfy', '{"kind":"message","author":{"id":"web:local","name":"operator"},"text":"create notes.txt containing hello","quoted":[],"attachments":[],"thread":{"platform":"web","workspaceId":"local","channelId":"main","threadId":"11111111-1111-4111-8111-111111111111"},"messageId":"11111111-1111-4111-8111-111111111111","at":1795418739596,"addressed":true,"joinsThread":false,"decides":true}', 'true', 'taken', 'run_1m83mqmy5eez5gqjjrry', '2026-11-23 07:25:39.632', '2026-11-23 07:25:39.632', 'false');
INSERT INTO "InboxEvent" ("seq", "key", "sessionId", "body", "wakes", "state", "runId", "dueAt", "createdAt", "resumes") VALUES ('3', 'timer:approval:run_1m83mqmy5eez5gqjjrry:1', 'ses_1m83mqmx52wana5gwcfy', '{"kind":"resume","of":"approval"}', 'false', 'waiting', NULL, '2099-11-23 08:25:39.808', '2026-11-23 07:25:40.085', 'true');
INSERT INTO "Approval" ("id", "sessionId", "runId", "turn", "calls", "people", "status", "scope", "decidedBy", "expiresAt", "createdAt", "decidedAt") VALUES ('run_1m83mqmy5eez5gqjjrry:1', 'ses_1m83mqmx52wana5gwcfy', 'run_1m83mqmy5eez5gqjjrry', '1', '[{"callId":"call_1m83mqn1h73x62da5h2k","tool":"write","input":"{\"content\":\"hello\\n\",\"path\":\"notes.txt\"}","grant":{"key":"write:notes.txt","label":"changing notes.txt"},"title":"write `notes.txt`"}]', '{"requester":{"id":"web:local","name":"operator"},"others":[],"mayRemember":true}', 'pending', NULL, NULL, '2099-11-23 08:25:39.808', '2026-11-23 07:25:39.808', NULL);
INSERT INTO "ToolCall" ("runId", "callId", "sessionId", "turn", "position", "name", "input", "status", "intent", "result", "files", "durationMs", "beganAt", "endedAt", "carry") VALUES ('run_1m83mqmy5eez5gqjjrry', 'call_1m83mqn1h73x62da5h2k', 'ses_1m83mqmx52wana5gwcfy', '1', '0', 'write', '{"path":"notes.txt","content":"hello\n"}', 'pending', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "PlatformPresence" ("platform", "seenAt") VALUES ('web', '2026-11-23 07:25:39.526');
INSERT INTO "Usage" ("runId", "turn", "sessionId", "personId", "channelId", "model", "stopReason", "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "costUsd", "createdAt", "cut") VALUES ('run_1m83mqmy5eez5gqjjrry', '1', 'ses_1m83mqmx52wana5gwcfy', 'web:local', 'web:main', 'demo/scripted', 'tool_use', '1503', '54', '0', '0', '0', '2026-11-23 07:25:39.775', '0');
SELECT setval('"InboxEvent_seq_seq"', 100);
