-- Whoever holds the page's key is called operator wherever it is written who has done something.
UPDATE "Revision" SET "by" = 'operator' WHERE "by" = '';
UPDATE "ProviderKey" SET "by" = 'operator' WHERE "by" = '';
-- Nobody else is without a name there: who is not known has only tried to sign in.
UPDATE "AuditEntry" SET "by" = 'operator' WHERE "by" = '' AND "act" IN (
  'settings.changed', 'agent.changed', 'skill.changed', 'instructions.changed',
  'provider.key_set', 'provider.key_removed', 'provider.tested', 'mcp.reconnected');
