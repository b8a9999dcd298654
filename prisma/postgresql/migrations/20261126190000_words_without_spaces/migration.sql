-- Words of scripts without spaces, and of Korean, are found anew: a row without any is indexed by the program.
UPDATE "Memory" SET "terms" = '' WHERE "text" ~ '[ก-힣]';
