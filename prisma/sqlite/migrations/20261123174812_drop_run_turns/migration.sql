-- AlterTable
ALTER TABLE "Run" DROP COLUMN "turns";
