-- AlterTable
ALTER TABLE "Post" ADD COLUMN "shownAt" DATETIME;
