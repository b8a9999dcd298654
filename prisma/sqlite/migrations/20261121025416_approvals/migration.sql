-- CreateTable
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

-- CreateTable
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

-- CreateTable
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

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Session" (
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
INSERT INTO "new_Session" ("agent", "channelId", "createdAt", "createdBy", "epoch", "id", "key", "people", "thread", "updatedAt") SELECT "agent", "channelId", "createdAt", "createdBy", "epoch", "id", "key", "people", "thread", "updatedAt" FROM "Session";
DROP TABLE "Session";
ALTER TABLE "new_Session" RENAME TO "Session";
CREATE UNIQUE INDEX "Session_key_key" ON "Session"("key");
CREATE INDEX "Session_channelId_idx" ON "Session"("channelId");
CREATE INDEX "Session_updatedAt_idx" ON "Session"("updatedAt");
CREATE INDEX "Session_parentId_idx" ON "Session"("parentId");
CREATE TABLE "new_InboxEvent" (
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
INSERT INTO "new_InboxEvent" ("body", "createdAt", "dueAt", "key", "runId", "seq", "sessionId", "state", "wakes") SELECT "body", "createdAt", "dueAt", "key", "runId", "seq", "sessionId", "state", "wakes" FROM "InboxEvent";
DROP TABLE "InboxEvent";
ALTER TABLE "new_InboxEvent" RENAME TO "InboxEvent";
CREATE UNIQUE INDEX "InboxEvent_key_key" ON "InboxEvent"("key");
CREATE INDEX "InboxEvent_sessionId_state_seq_idx" ON "InboxEvent"("sessionId", "state", "seq");
CREATE INDEX "InboxEvent_state_dueAt_idx" ON "InboxEvent"("state", "dueAt");
CREATE INDEX "InboxEvent_runId_idx" ON "InboxEvent"("runId");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "Approval_sessionId_status_idx" ON "Approval"("sessionId", "status");

-- CreateIndex
CREATE INDEX "Grant_channelId_personId_idx" ON "Grant"("channelId", "personId");

-- CreateIndex
CREATE INDEX "Grant_sessionId_idx" ON "Grant"("sessionId");

-- CreateIndex
CREATE INDEX "Question_sessionId_status_idx" ON "Question"("sessionId", "status");
