-- AlterTable
ALTER TABLE "Session" ADD COLUMN     "format" INTEGER NOT NULL DEFAULT 1;
