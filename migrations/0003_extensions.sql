R"sql(
-- What the search needs of PostgreSQL's own modules, in a schema that stays when read schemas come
-- and go: trigrams of names, and ids beside them in one index. Both are trusted: whoever may create
-- schemas in the database may install them.
DO $$
DECLARE
  module text;
  home text;
BEGIN
  CREATE SCHEMA IF NOT EXISTS extensions;
  FOREACH module IN ARRAY ARRAY['pg_trgm', 'btree_gin'] LOOP
    SELECT n.nspname INTO home FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE e.extname = module;
    IF NOT FOUND THEN
      EXECUTE format('CREATE EXTENSION %I WITH SCHEMA extensions', module);
    ELSIF home <> 'extensions' THEN
      EXECUTE format('ALTER EXTENSION %I SET SCHEMA extensions', module);
    END IF;
  END LOOP;
END
$$;
)sql"
