-- DropIndex
DROP INDEX "Session_channelId_createdAt_idx";

-- CreateIndex
CREATE INDEX "Session_channelId_parentId_updatedAt_idx" ON "Session"("channelId", "parentId", "updatedAt");
