-- What the tool's next call in the session is given.
ALTER TABLE "ToolCall" RENAME COLUMN "carry" TO "toolState";
