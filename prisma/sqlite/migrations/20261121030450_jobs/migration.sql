-- CreateTable
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

-- CreateTable
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

-- CreateIndex
CREATE UNIQUE INDEX "Job_nameKey_key" ON "Job"("nameKey");

-- CreateIndex
CREATE INDEX "Job_enabled_idx" ON "Job"("enabled");

-- CreateIndex
CREATE INDEX "Job_channelId_idx" ON "Job"("channelId");

-- CreateIndex
CREATE INDEX "JobOccurrence_jobId_status_idx" ON "JobOccurrence"("jobId", "status");

-- CreateIndex
CREATE INDEX "JobOccurrence_status_idx" ON "JobOccurrence"("status");

-- CreateIndex
CREATE INDEX "JobOccurrence_createdAt_idx" ON "JobOccurrence"("createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "JobOccurrence_jobId_scheduledFor_key" ON "JobOccurrence"("jobId", "scheduledFor");
