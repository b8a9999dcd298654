-- AlterTable
ALTER TABLE "ToolCall" ADD COLUMN     "carry" TEXT;
