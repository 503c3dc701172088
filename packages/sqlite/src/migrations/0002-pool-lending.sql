ALTER TABLE quota_pools ADD COLUMN lending TEXT NOT NULL DEFAULT 'threshold';
