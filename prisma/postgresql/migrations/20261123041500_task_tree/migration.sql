-- Words of a sub-agent's task: as a key in JSON each stands once, and in no string of it, where its quotes are escaped.
UPDATE "Session" SET "task" = replace(replace(replace("task", '"undertaking":', '"taskTree":'), '"among":', '"concurrencyLimit":'), '"wakes":', '"autoWakeCount":') WHERE "task" IS NOT NULL;
UPDATE "InboxEvent" SET "body" = replace(replace(replace("body", '"undertaking":', '"taskTree":'), '"among":', '"concurrencyLimit":'), '"wakes":', '"autoWakeCount":') WHERE "body" LIKE '%"task":%';
