/** Names the directory of databases that tests empty and use again; the run removes it at its end. */
export const DATABASES = "DECKHAND_TEST_DATABASES";
