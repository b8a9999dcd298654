/** Environment variable with the directory of databases that tests empty and reuse; removed at the end of the run. */
export const DATABASES = "DECKHAND_TEST_DATABASES";
