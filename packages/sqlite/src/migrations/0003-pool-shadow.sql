ALTER TABLE quota_pools ADD COLUMN shadow TEXT;
