-- AlterTable
ALTER TABLE "Message" ADD COLUMN "label" TEXT;

-- AlterTable
ALTER TABLE "Compaction" ADD COLUMN "label" TEXT;

-- AlterTable
ALTER TABLE "Grant" ADD COLUMN "givenIn" TEXT;
ALTER TABLE "Grant" ADD COLUMN "words" TEXT;
