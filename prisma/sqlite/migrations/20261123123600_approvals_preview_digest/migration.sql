-- The digest of what people saw of a call. Arguments are a text within the text, so that their names are not renamed.
UPDATE "Approval" SET "calls" = replace("calls", '"seal":', '"previewDigest":');
