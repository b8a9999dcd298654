import { expect, test } from "vitest";
import { problemsOf } from "../../scripts/gates/migrations.ts";

test.each([
  'ALTER TABLE "Session" ADD COLUMN "format" INTEGER NOT NULL DEFAULT 1;',
  'ALTER TABLE "Session" ADD COLUMN "note" TEXT;',
  'CREATE TABLE "Growth" ("id" TEXT NOT NULL, "bytes" BIGINT NOT NULL, CONSTRAINT "Growth_pkey" PRIMARY KEY ("id"));',
  'CREATE INDEX "Session_format_idx" ON "Session"("format"); -- not a RENAME',
])("%s goes beside processes of the release before", (sql) => {
  expect(problemsOf(sql)).toEqual([]);
});

test.each([
  'ALTER TABLE "Session" DROP COLUMN "plan";',
  'DROP TABLE "Session";',
  'ALTER TABLE "Session" RENAME COLUMN "plan" TO "plans";',
  'ALTER TABLE "Session" ADD COLUMN "format" INTEGER NOT NULL;',
  'ALTER TABLE "Session" ADD COLUMN "format" INTEGER NOT NULL,\nADD COLUMN "note" TEXT DEFAULT 1;',
  'ALTER TABLE "Session" ALTER COLUMN "plan" SET NOT NULL;',
  'ALTER TABLE "Session" ALTER COLUMN "epoch" SET DATA TYPE BIGINT;',
])("%s breaks them, and the gate says what to do", (sql) => {
  expect(problemsOf(sql)).toHaveLength(1);
});
