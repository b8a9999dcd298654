-- Why a job's run ended badly is a text alone: its status says which sign it is shown with.
UPDATE "JobOccurrence" SET "error" = substr("error", 3) WHERE substr("error", 1, 2) IN ('✗ ', '⚠ ', '⏹ ');
UPDATE "JobOccurrence" SET "message" = substr("message", 3) WHERE "message" LIKE '⚠ The model ended without a word.%';
