-- DropIndex
DROP INDEX "Session_channelId_idx";

-- DropIndex
DROP INDEX "Session_parentId_idx";

-- DropIndex
DROP INDEX "Post_state_idx";

-- CreateIndex
CREATE INDEX "Session_channelId_createdAt_idx" ON "Session"("channelId", "createdAt");

-- CreateIndex
CREATE INDEX "Session_parentId_updatedAt_idx" ON "Session"("parentId", "updatedAt");
