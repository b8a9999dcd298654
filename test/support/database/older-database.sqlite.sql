CREATE TABLE "_prisma_migrations" (
    "id" TEXT PRIMARY KEY NOT NULL,
    "checksum" TEXT NOT NULL,
    "finished_at" DATETIME,
    "migration_name" TEXT NOT NULL,
    "logs" TEXT,
    "rolled_back_at" DATETIME,
    "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0
  );
CREATE TABLE "Workspace" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "platform" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL
);
CREATE TABLE "Channel" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    CONSTRAINT "Channel_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE TABLE "Run" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "sessionId" TEXT NOT NULL,
    "eventSeq" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "cancelledBy" TEXT,
    "outcome" TEXT,
    "errorCode" TEXT,
    "turns" INTEGER NOT NULL DEFAULT 0,
    "startedAt" DATETIME NOT NULL,
    "endedAt" DATETIME,
    CONSTRAINT "Run_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE TABLE "JournalEntry" (
    "runId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("runId", "key")
);
CREATE TABLE "Message" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "sessionId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "authorId" TEXT,
    "authorName" TEXT,
    "context" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" DATETIME NOT NULL,
    CONSTRAINT "Message_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
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
    "beganAt" DATETIME,
    "endedAt" DATETIME, "carry" TEXT,

    PRIMARY KEY ("runId", "callId")
);
CREATE TABLE "Post" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "runId" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "posted" TEXT,
    "intentAt" DATETIME NOT NULL,
    "sentAt" DATETIME
, "closing" TEXT);
CREATE TABLE "WebThread" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "title" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL
);
CREATE TABLE "WebMessage" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "threadId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "fromPerson" BOOLEAN NOT NULL,
    "at" DATETIME NOT NULL,
    "body" TEXT NOT NULL,
    CONSTRAINT "WebMessage_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "WebThread" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE TABLE "WebFile" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "mediaType" TEXT NOT NULL,
    "data" BLOB NOT NULL
);
CREATE TABLE "BudgetLock" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "taken" INTEGER NOT NULL
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
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("sessionId", "number")
);
CREATE TABLE "Approval" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "sessionId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "calls" TEXT NOT NULL,
    "people" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "scope" TEXT,
    "decidedBy" TEXT,
    "expiresAt" DATETIME NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "decidedAt" DATETIME
);
CREATE TABLE "Grant" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "sessionId" TEXT,
    "channelId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "grantedBy" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "revokedAt" DATETIME
);
CREATE TABLE "Question" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "sessionId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "askedOf" TEXT,
    "body" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "answer" TEXT,
    "answeredBy" TEXT,
    "createdAt" DATETIME NOT NULL,
    "answeredAt" DATETIME
);
CREATE TABLE "Session" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "key" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "thread" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "people" TEXT NOT NULL,
    "settings" TEXT NOT NULL DEFAULT '{}',
    "plan" TEXT,
    "parentId" TEXT,
    "parentRunId" TEXT,
    "parentCallId" TEXT,
    "task" TEXT,
    "createdBy" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "Session_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE TABLE "InboxEvent" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "wakes" BOOLEAN NOT NULL,
    "resumes" BOOLEAN NOT NULL DEFAULT false,
    "state" TEXT NOT NULL,
    "runId" TEXT,
    "dueAt" DATETIME NOT NULL,
    "createdAt" DATETIME NOT NULL,
    CONSTRAINT "InboxEvent_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE TABLE "Job" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "nameKey" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "thread" TEXT NOT NULL,
    "ownerId" TEXT NOT NULL,
    "ownerName" TEXT NOT NULL,
    "cron" TEXT,
    "dueOnce" DATETIME,
    "timezone" TEXT NOT NULL,
    "prompt" TEXT NOT NULL,
    "agent" TEXT,
    "skill" TEXT,
    "model" TEXT,
    "mode" TEXT NOT NULL,
    "tools" TEXT NOT NULL,
    "timeoutMs" INTEGER NOT NULL,
    "budgetUsd" REAL,
    "catchUp" TEXT NOT NULL,
    "overlap" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "jitterMs" INTEGER NOT NULL,
    "silentWhenUnchanged" BOOLEAN NOT NULL,
    "pauseAfter" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "pausedBecause" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "accountedTo" DATETIME NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL
);
CREATE TABLE "JobOccurrence" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "jobId" TEXT NOT NULL,
    "jobName" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "scheduledFor" DATETIME NOT NULL,
    "trigger" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "sessionId" TEXT,
    "runId" TEXT,
    "executedAt" DATETIME,
    "endedAt" DATETIME,
    "success" BOOLEAN NOT NULL DEFAULT false,
    "message" TEXT,
    "error" TEXT,
    "costUsd" REAL,
    "durationMs" INTEGER,
    "reportHash" TEXT,
    "createdAt" DATETIME NOT NULL
);
CREATE TABLE "RunFeedback" (
    "runId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "at" DATETIME NOT NULL,

    PRIMARY KEY ("runId", "personId")
);
CREATE TABLE "RunUndo" (
    "runId" TEXT NOT NULL PRIMARY KEY,
    "sessionId" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "files" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" DATETIME NOT NULL
);
CREATE TABLE "PlatformPresence" (
    "platform" TEXT NOT NULL PRIMARY KEY,
    "seenAt" DATETIME NOT NULL
);
CREATE TABLE "AnsweredMessage" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "at" DATETIME NOT NULL
);
CREATE TABLE "Usage" (
    "runId" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "cut" INTEGER NOT NULL DEFAULT 0,
    "sessionId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "stopReason" TEXT NOT NULL,
    "inputTokens" INTEGER NOT NULL,
    "outputTokens" INTEGER NOT NULL,
    "cacheReadTokens" INTEGER NOT NULL,
    "cacheWriteTokens" INTEGER NOT NULL,
    "costUsd" REAL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("runId", "turn", "cut")
);
CREATE TABLE "BudgetReservation" (
    "runId" TEXT NOT NULL PRIMARY KEY,
    "sessionId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "inputTokens" INTEGER NOT NULL,
    "inputUsd" REAL,
    "calls" INTEGER NOT NULL,
    "costUsd" REAL NOT NULL,
    "tokens" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL
);
CREATE INDEX "Channel_workspaceId_idx" ON "Channel"("workspaceId");
CREATE UNIQUE INDEX "Run_eventSeq_key" ON "Run"("eventSeq");
CREATE INDEX "Run_sessionId_status_idx" ON "Run"("sessionId", "status");
CREATE INDEX "Run_status_idx" ON "Run"("status");
CREATE INDEX "Message_runId_idx" ON "Message"("runId");
CREATE UNIQUE INDEX "Message_sessionId_seq_key" ON "Message"("sessionId", "seq");
CREATE INDEX "ToolCall_sessionId_status_idx" ON "ToolCall"("sessionId", "status");
CREATE INDEX "Post_runId_idx" ON "Post"("runId");
CREATE INDEX "Post_state_idx" ON "Post"("state");
CREATE INDEX "WebThread_updatedAt_idx" ON "WebThread"("updatedAt");
CREATE UNIQUE INDEX "WebMessage_key_key" ON "WebMessage"("key");
CREATE UNIQUE INDEX "WebMessage_seq_key" ON "WebMessage"("seq");
CREATE INDEX "WebMessage_threadId_position_idx" ON "WebMessage"("threadId", "position");
CREATE INDEX "WebMessage_fromPerson_at_idx" ON "WebMessage"("fromPerson", "at");
CREATE UNIQUE INDEX "Session_key_key" ON "Session"("key");
CREATE INDEX "Session_channelId_idx" ON "Session"("channelId");
CREATE INDEX "Session_updatedAt_idx" ON "Session"("updatedAt");
CREATE INDEX "Session_parentId_idx" ON "Session"("parentId");
CREATE UNIQUE INDEX "InboxEvent_key_key" ON "InboxEvent"("key");
CREATE INDEX "InboxEvent_sessionId_state_seq_idx" ON "InboxEvent"("sessionId", "state", "seq");
CREATE INDEX "InboxEvent_state_dueAt_idx" ON "InboxEvent"("state", "dueAt");
CREATE INDEX "InboxEvent_runId_idx" ON "InboxEvent"("runId");
CREATE INDEX "Approval_sessionId_status_idx" ON "Approval"("sessionId", "status");
CREATE INDEX "Grant_channelId_personId_idx" ON "Grant"("channelId", "personId");
CREATE INDEX "Grant_sessionId_idx" ON "Grant"("sessionId");
CREATE INDEX "Question_sessionId_status_idx" ON "Question"("sessionId", "status");
CREATE UNIQUE INDEX "Job_nameKey_key" ON "Job"("nameKey");
CREATE INDEX "Job_enabled_idx" ON "Job"("enabled");
CREATE INDEX "Job_channelId_idx" ON "Job"("channelId");
CREATE INDEX "JobOccurrence_jobId_status_idx" ON "JobOccurrence"("jobId", "status");
CREATE INDEX "JobOccurrence_status_idx" ON "JobOccurrence"("status");
CREATE INDEX "JobOccurrence_createdAt_idx" ON "JobOccurrence"("createdAt");
CREATE UNIQUE INDEX "JobOccurrence_jobId_scheduledFor_key" ON "JobOccurrence"("jobId", "scheduledFor");
CREATE INDEX "RunFeedback_at_idx" ON "RunFeedback"("at");
CREATE INDEX "RunUndo_sessionId_at_idx" ON "RunUndo"("sessionId", "at");
CREATE INDEX "AnsweredMessage_at_idx" ON "AnsweredMessage"("at");
CREATE INDEX "Usage_sessionId_idx" ON "Usage"("sessionId");
CREATE INDEX "Usage_createdAt_idx" ON "Usage"("createdAt");
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04p9nac8ndkqvyh', 'b93da9e763f4784884bf827b734087129dd24d90575a12b8c45a10d2cd92623e', '2026-11-23T04:53:00.746+00:00', '20261121003130_init', NULL, NULL, '2026-11-23T04:53:00.746+00:00', 1);
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04paexfcmbkg354', '84a5386c820c32669d504b3254e70c75f47858d1fb39a56f8133c91d39bc9459', '2026-11-23T04:53:00.747+00:00', '20261121013518_post_closing', NULL, NULL, '2026-11-23T04:53:00.746+00:00', 1);
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04pbqgchnfy7jdz', '57031d5469218bd34c74d06721e443c037699a3652f300e25b42f61d2058746f', '2026-11-23T04:53:00.747+00:00', '20261121015004_budgets', NULL, NULL, '2026-11-23T04:53:00.747+00:00', 1);
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04pbyj7tbh3dv10', 'd6c8ff22f4125d5e873a6b94646709afa4fbb9f1218c24ebfb5e3b65efcac49b', '2026-11-23T04:53:00.747+00:00', '20261121015006_compaction', NULL, NULL, '2026-11-23T04:53:00.747+00:00', 1);
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04pb5gbc5vg6skf', 'adfed130377aa50a46300947a1de6e5d3189df1539c744490810b9f32225c49c', '2026-11-23T04:53:00.748+00:00', '20261121025416_approvals', NULL, NULL, '2026-11-23T04:53:00.747+00:00', 1);
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04pc95dk5ap9tzv', '44d7fca83a7ef6e988ec42070da703038d645416252047fede51c9ea1bda453b', '2026-11-23T04:53:00.748+00:00', '20261121030306_carry', NULL, NULL, '2026-11-23T04:53:00.748+00:00', 1);
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04pdcd86sct6f8f', 'cf76ce2e01bef50fab403eea5ef423c72fce4f864f2839e4f4ab63879aa7a556', '2026-11-23T04:53:00.749+00:00', '20261121030450_jobs', NULL, NULL, '2026-11-23T04:53:00.749+00:00', 1);
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04pdyf8j0fevt2e', 'fcb436a6e8d4bf67cb2c7780988da895a50cd654b250c1c7a45fc33bd6cddb03', '2026-11-23T04:53:00.749+00:00', '20261121040637_feedback_and_undo', NULL, NULL, '2026-11-23T04:53:00.749+00:00', 1);
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04pd0razwsgb4ke', '243dae06533b8fddeb4cbcddc789580d2e98a2e253a7a57cd0fc532e81ad7290', '2026-11-23T04:53:00.749+00:00', '20261121040914_first_contact', NULL, NULL, '2026-11-23T04:53:00.749+00:00', 1);
INSERT INTO "_prisma_migrations" VALUES ('mig_1m83c04pd3p9ttfz01s2', 'bd90f0353191c9260e0e9574110e6597d4fd02ab8b33ba2cbc096d720730f98f', '2026-11-23T04:53:00.750+00:00', '20261122104255_charge_calls_that_were_cut_off', NULL, NULL, '2026-11-23T04:53:00.749+00:00', 1);
INSERT INTO "Workspace" VALUES ('web:local', 'web', 'This computer', '2026-11-23T04:53:01.177+00:00');
INSERT INTO "Channel" VALUES ('web:main', 'web:local', 'web', 'dm', '2026-11-23T04:53:01.177+00:00');
INSERT INTO "Run" VALUES ('run_1m83c054f9fa7xp2mnzd', 'ses_1m83c053s2vrv6a29g56', 1, 'parked', NULL, NULL, NULL, 1, '2026-11-23T04:53:01.208+00:00', NULL);
INSERT INTO "JournalEntry" VALUES ('run_1m83c054f9fa7xp2mnzd', 'begun', '{"settings":{},"mode":"write","skillTools":[]}', '2026-11-23T04:53:01.232+00:00');
INSERT INTO "JournalEntry" VALUES ('run_1m83c054f9fa7xp2mnzd', 'input', 'null', '2026-11-23T04:53:01.295+00:00');
INSERT INTO "JournalEntry" VALUES ('run_1m83c054f9fa7xp2mnzd', 'turn:1:response', 'null', '2026-11-23T04:53:01.365+00:00');
INSERT INTO "JournalEntry" VALUES ('run_1m83c054f9fa7xp2mnzd', 'approval:1', 'null', '2026-11-23T04:53:01.951+00:00');
INSERT INTO "Message" VALUES ('msg_1m83c057b3b11jytz6ar', 'ses_1m83c053s2vrv6a29g56', 'run_1m83c054f9fa7xp2mnzd', 1, 'user', '[{"type":"text","text":"create notes.txt containing hello"}]', 'web:local', 'operator', 0, '2026-11-23T04:53:01.162+00:00');
INSERT INTO "Message" VALUES ('msg_1m83c059kp9gavrr5czy', 'ses_1m83c053s2vrv6a29g56', 'run_1m83c054f9fa7xp2mnzd', 2, 'assistant', '[{"type":"text","text":"I''ll create `notes.txt`."},{"type":"tool_use","id":"call_1m83c059kgg9sqqsqn4h","name":"write","input":{"path":"notes.txt","content":"hello\n"},"origin":{"provider":"demo","model":"scripted"}}]', NULL, NULL, 0, '2026-11-23T04:53:01.364+00:00');
INSERT INTO "ToolCall" VALUES ('run_1m83c054f9fa7xp2mnzd', 'call_1m83c059kgg9sqqsqn4h', 'ses_1m83c053s2vrv6a29g56', 1, 0, 'write', '{"path":"notes.txt","content":"hello\n"}', 'pending', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "Post" VALUES ('run_1m83c054f9fa7xp2mnzd:live', 'run_1m83c054f9fa7xp2mnzd', 'ses_1m83c053s2vrv6a29g56', 'sent', '{"platform":"web","channelId":"main","messageId":"webmsg_1m83c05ngd40zvns45eh"}', '2026-11-23T04:53:01.724+00:00', '2026-11-23T04:53:01.753+00:00', NULL);
INSERT INTO "Post" VALUES ('run_1m83c054f9fa7xp2mnzd:approval:1', 'run_1m83c054f9fa7xp2mnzd', 'ses_1m83c053s2vrv6a29g56', 'sent', '{"platform":"web","channelId":"main","messageId":"webmsg_1m83c05xx4ywa4b7beq1"}', '2026-11-23T04:53:01.991+00:00', '2026-11-23T04:53:02.064+00:00', NULL);
INSERT INTO "WebThread" VALUES ('11111111-1111-4111-8111-111111111111', 'create notes.txt containing hello', '2026-11-23T04:53:01.162+00:00', '2026-11-23T04:53:02.013+00:00');
INSERT INTO "WebMessage" VALUES ('11111111-1111-4111-8111-111111111111', '11111111-1111-4111-8111-111111111111', 'web:11111111-1111-4111-8111-111111111111', 1, 1, 1, '2026-11-23T04:53:01.162+00:00', '{"by":"person","markdown":"create notes.txt containing hello","tone":"plain","buttons":[],"files":[],"signs":[]}');
INSERT INTO "WebMessage" VALUES ('webmsg_1m83c05ngd40zvns45eh', '11111111-1111-4111-8111-111111111111', 'run_1m83c054f9fa7xp2mnzd:live', 2, 4, 0, '2026-11-23T04:53:01.744+00:00', '{"by":"deckhand","markdown":"⏸ **build** · turn 1 · waits for a decision\n\nI''ll create `notes.txt`.","tone":"plain","lane":"progress","buttons":[{"id":"stop:run_1m83c054f9fa7xp2mnzd","label":"Stop","style":"danger"}],"files":[],"signs":[]}');
INSERT INTO "WebMessage" VALUES ('webmsg_1m83c05xx4ywa4b7beq1', '11111111-1111-4111-8111-111111111111', 'run_1m83c054f9fa7xp2mnzd:approval:1', 3, 3, 0, '2026-11-23T04:53:02.013+00:00', '{"by":"deckhand","markdown":"⏸ **Create notes.txt?**   asked by @operator\n```diff\n@@ -0,0 +1,1 @@\n+hello\n\n```\nmay change files in the sandbox of this channel · no network · 30 s · 128 MB","footer":"Waiting for @operator · expires in 60 min · session and always remember: changing notes.txt","tone":"plain","lane":"approval","buttons":[{"id":"approve:y:run_1m83c054f9fa7xp2mnzd:1","label":"Allow once","style":"primary"},{"id":"approve:n:run_1m83c054f9fa7xp2mnzd:1","label":"Deny","style":"danger"},{"id":"approve:a:run_1m83c054f9fa7xp2mnzd:1","label":"Allow for this session","style":"default"},{"id":"approve:A:run_1m83c054f9fa7xp2mnzd:1","label":"Always allow","style":"default"}],"files":[],"signs":[]}');
INSERT INTO "Approval" VALUES ('run_1m83c054f9fa7xp2mnzd:1', 'ses_1m83c053s2vrv6a29g56', 'run_1m83c054f9fa7xp2mnzd', 1, '[{"callId":"call_1m83c059kgg9sqqsqn4h","tool":"write","input":"{\"content\":\"hello\\n\",\"path\":\"notes.txt\"}","grant":{"key":"write:notes.txt","label":"changing notes.txt"},"title":"write `notes.txt`"}]', '{"requester":{"id":"web:local","name":"operator"},"others":[],"mayRemember":true}', 'pending', NULL, NULL, '2099-01-01T05:53:01.391+00:00', '2026-11-23T04:53:01.391+00:00', NULL);
INSERT INTO "Session" VALUES ('ses_1m83c053s2vrv6a29g56', 'web:local:main:11111111-1111-4111-8111-111111111111', 'web:main', '{"platform":"web","workspaceId":"local","channelId":"main","threadId":"11111111-1111-4111-8111-111111111111"}', 'build', 1, '["web:local"]', '{}', NULL, NULL, NULL, NULL, NULL, 'web:local', '2026-11-23T04:53:01.177+00:00', '2026-11-23T04:53:02.105+00:00');
INSERT INTO "InboxEvent" VALUES (1, 'web:11111111-1111-4111-8111-111111111111', 'ses_1m83c053s2vrv6a29g56', '{"kind":"message","author":{"id":"web:local","name":"operator"},"text":"create notes.txt containing hello","quoted":[],"attachments":[],"thread":{"platform":"web","workspaceId":"local","channelId":"main","threadId":"11111111-1111-4111-8111-111111111111"},"messageId":"11111111-1111-4111-8111-111111111111","at":1795409581162,"addressed":true,"joinsThread":false,"decides":true}', 1, 0, 'taken', 'run_1m83c054f9fa7xp2mnzd', '2026-11-23T04:53:01.185+00:00', '2026-11-23T04:53:01.185+00:00');
INSERT INTO "InboxEvent" VALUES (2, 'timer:approval:run_1m83c054f9fa7xp2mnzd:1', 'ses_1m83c053s2vrv6a29g56', '{"kind":"resume","of":"approval"}', 0, 1, 'waiting', NULL, '2099-01-01T05:53:01.391+00:00', '2026-11-23T04:53:01.975+00:00');
INSERT INTO "PlatformPresence" VALUES ('web', '2026-11-23T04:53:00.893+00:00');
INSERT INTO "Usage" VALUES ('run_1m83c054f9fa7xp2mnzd', 1, 0, 'ses_1m83c053s2vrv6a29g56', 'web:local', 'web:main', 'demo/scripted', 'tool_use', 1503, 54, 0, 0, 0, '2026-11-23T04:53:01.370+00:00');
