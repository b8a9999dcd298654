-- DropIndex
DROP INDEX "Session_channelId_idx";

-- DropIndex
DROP INDEX "Session_parentId_idx";

-- DropIndex
DROP INDEX "Post_state_idx";

-- CreateIndex
CREATE INDEX "Session_channelId_parentId_updatedAt_idx" ON "Session"("channelId", "parentId", "updatedAt");

-- CreateIndex
CREATE INDEX "Session_thread_channelId_idx" ON "Session"("thread", "channelId");

-- CreateIndex
CREATE INDEX "Session_parentId_updatedAt_idx" ON "Session"("parentId", "updatedAt");

-- What is looked for again and again among all posts: the few that still look as if work went on.
CREATE INDEX "Post_unclosed_idx" ON "Post"("runId") WHERE "shownAt" IS NULL AND "closing" IS NOT NULL;

-- CreateIndex
CREATE INDEX "Approval_runId_idx" ON "Approval"("runId");

-- CreateIndex
CREATE INDEX "Question_runId_idx" ON "Question"("runId");

-- CreateIndex
CREATE INDEX "JobOccurrence_sessionId_idx" ON "JobOccurrence"("sessionId");
