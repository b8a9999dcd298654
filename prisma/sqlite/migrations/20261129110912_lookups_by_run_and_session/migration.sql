-- CreateIndex
CREATE INDEX "Approval_runId_idx" ON "Approval"("runId");

-- CreateIndex
CREATE INDEX "Question_runId_idx" ON "Question"("runId");

-- CreateIndex
CREATE INDEX "JobOccurrence_sessionId_idx" ON "JobOccurrence"("sessionId");
