-- CreateTable
CREATE TABLE "AuditEntry" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "at" DATETIME NOT NULL,
    "by" TEXT NOT NULL,
    "act" TEXT NOT NULL,
    "about" TEXT NOT NULL,
    "details" TEXT NOT NULL DEFAULT ''
);

-- CreateIndex
CREATE INDEX "AuditEntry_at_id_idx" ON "AuditEntry"("at", "id");

-- CreateIndex
CREATE INDEX "Approval_decidedAt_idx" ON "Approval"("decidedAt");
