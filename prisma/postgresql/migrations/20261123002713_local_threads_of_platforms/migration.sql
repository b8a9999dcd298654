-- DropIndex
DROP INDEX "WebThread_updatedAt_idx";

-- AlterTable
ALTER TABLE "WebThread" ADD COLUMN     "platform" TEXT NOT NULL DEFAULT 'web';

-- CreateIndex
CREATE INDEX "WebThread_platform_updatedAt_idx" ON "WebThread"("platform", "updatedAt");
