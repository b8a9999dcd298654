-- AlterTable
ALTER TABLE "Post" ADD COLUMN     "closing" TEXT;
