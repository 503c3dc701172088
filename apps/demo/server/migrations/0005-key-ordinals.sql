-- A small number for each key, by which pages give it a colour. It outlives a configuration that is put in the place of another: there keys are
-- deleted and inserted again, so nothing here follows a deletion by itself.
CREATE TABLE IF NOT EXISTS api_key_ordinals (
  api_key_id TEXT PRIMARY KEY,
  ordinal    INTEGER NOT NULL UNIQUE CHECK (ordinal >= 0)
) STRICT, WITHOUT ROWID;

INSERT INTO api_key_ordinals (api_key_id, ordinal)
  SELECT id, (SELECT coalesce(max(ordinal) + 1, 0) FROM api_key_ordinals) + row_number() OVER (ORDER BY created_at, id) - 1
  FROM api_keys WHERE id NOT IN (SELECT api_key_id FROM api_key_ordinals);

-- Whoever inserts a key, it has the smallest number that is not in use. Where there are as many numbers as the largest says, there is no gap to look for.
CREATE TRIGGER IF NOT EXISTS api_keys_are_numbered AFTER INSERT ON api_keys
WHEN NOT EXISTS (SELECT 1 FROM api_key_ordinals WHERE api_key_id = new.id)
BEGIN
  INSERT INTO api_key_ordinals (api_key_id, ordinal)
    SELECT new.id, CASE
      WHEN (SELECT count(*) FROM api_key_ordinals) = (SELECT coalesce(max(ordinal) + 1, 0) FROM api_key_ordinals)
        THEN (SELECT count(*) FROM api_key_ordinals)
      WHEN NOT EXISTS (SELECT 1 FROM api_key_ordinals WHERE ordinal = 0) THEN 0
      ELSE (SELECT ordinal + 1 FROM api_key_ordinals AS one
            WHERE NOT EXISTS (SELECT 1 FROM api_key_ordinals AS next WHERE next.ordinal = one.ordinal + 1)
            ORDER BY ordinal LIMIT 1)
    END;
END;
