-- CreateIndex
CREATE INDEX "Session_thread_channelId_idx" ON "Session"("thread", "channelId");
