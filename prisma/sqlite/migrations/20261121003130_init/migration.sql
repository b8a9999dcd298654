-- CreateTable
CREATE TABLE "Workspace" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "platform" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "Channel" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    CONSTRAINT "Channel_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Session" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "key" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "thread" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "people" TEXT NOT NULL,
    "createdBy" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "Session_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "InboxEvent" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "wakes" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL,
    "runId" TEXT,
    "dueAt" DATETIME NOT NULL,
    "createdAt" DATETIME NOT NULL,
    CONSTRAINT "InboxEvent_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "JournalEntry" (
    "runId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("runId", "key")
);

-- CreateTable
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

-- CreateTable
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
    "endedAt" DATETIME,

    PRIMARY KEY ("runId", "callId")
);

-- CreateTable
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
    "costUsd" REAL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("runId", "turn")
);

-- CreateTable
CREATE TABLE "Post" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "runId" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "posted" TEXT,
    "intentAt" DATETIME NOT NULL,
    "sentAt" DATETIME
);

-- CreateTable
CREATE TABLE "WebThread" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "title" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "WebFile" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "mediaType" TEXT NOT NULL,
    "data" BLOB NOT NULL
);

-- CreateIndex
CREATE INDEX "Channel_workspaceId_idx" ON "Channel"("workspaceId");

-- CreateIndex
CREATE UNIQUE INDEX "Session_key_key" ON "Session"("key");

-- CreateIndex
CREATE INDEX "Session_channelId_idx" ON "Session"("channelId");

-- CreateIndex
CREATE INDEX "Session_updatedAt_idx" ON "Session"("updatedAt");

-- CreateIndex
CREATE UNIQUE INDEX "InboxEvent_key_key" ON "InboxEvent"("key");

-- CreateIndex
CREATE INDEX "InboxEvent_sessionId_state_seq_idx" ON "InboxEvent"("sessionId", "state", "seq");

-- CreateIndex
CREATE INDEX "InboxEvent_state_dueAt_idx" ON "InboxEvent"("state", "dueAt");

-- CreateIndex
CREATE INDEX "InboxEvent_runId_idx" ON "InboxEvent"("runId");

-- CreateIndex
CREATE UNIQUE INDEX "Run_eventSeq_key" ON "Run"("eventSeq");

-- CreateIndex
CREATE INDEX "Run_sessionId_status_idx" ON "Run"("sessionId", "status");

-- CreateIndex
CREATE INDEX "Run_status_idx" ON "Run"("status");

-- CreateIndex
CREATE INDEX "Message_runId_idx" ON "Message"("runId");

-- CreateIndex
CREATE UNIQUE INDEX "Message_sessionId_seq_key" ON "Message"("sessionId", "seq");

-- CreateIndex
CREATE INDEX "ToolCall_sessionId_status_idx" ON "ToolCall"("sessionId", "status");

-- CreateIndex
CREATE INDEX "Usage_sessionId_idx" ON "Usage"("sessionId");

-- CreateIndex
CREATE INDEX "Usage_createdAt_idx" ON "Usage"("createdAt");

-- CreateIndex
CREATE INDEX "Post_runId_idx" ON "Post"("runId");

-- CreateIndex
CREATE INDEX "Post_state_idx" ON "Post"("state");

-- CreateIndex
CREATE INDEX "WebThread_updatedAt_idx" ON "WebThread"("updatedAt");

-- CreateIndex
CREATE UNIQUE INDEX "WebMessage_key_key" ON "WebMessage"("key");

-- CreateIndex
CREATE UNIQUE INDEX "WebMessage_seq_key" ON "WebMessage"("seq");

-- CreateIndex
CREATE INDEX "WebMessage_threadId_position_idx" ON "WebMessage"("threadId", "position");

-- CreateIndex
CREATE INDEX "WebMessage_fromPerson_at_idx" ON "WebMessage"("fromPerson", "at");
