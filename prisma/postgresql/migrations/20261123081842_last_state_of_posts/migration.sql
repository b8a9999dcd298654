-- AlterTable
ALTER TABLE "Post" ADD COLUMN     "shownAt" TIMESTAMP(3);
