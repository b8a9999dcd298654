-- What is looked for again and again among all posts: the few that still look as if work went on.
CREATE INDEX "Post_unclosed_idx" ON "Post"("runId") WHERE "shownAt" IS NULL AND "closing" IS NOT NULL;
