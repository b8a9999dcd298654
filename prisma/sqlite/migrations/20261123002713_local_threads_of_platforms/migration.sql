-- Without rewriting the table: a column with a default can be added to it as it is.
ALTER TABLE "WebThread" ADD COLUMN "platform" TEXT NOT NULL DEFAULT 'web';
DROP INDEX "WebThread_updatedAt_idx";
CREATE INDEX "WebThread_platform_updatedAt_idx" ON "WebThread"("platform", "updatedAt");
