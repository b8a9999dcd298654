-- AlterTable
ALTER TABLE "Account" ADD COLUMN "issuer" TEXT;
ALTER TABLE "Account" ADD COLUMN "subject" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "Account_issuer_subject_key" ON "Account"("issuer", "subject");
