-- CreateIndex
CREATE INDEX "Run_endedAt_idx" ON "Run"("endedAt");
