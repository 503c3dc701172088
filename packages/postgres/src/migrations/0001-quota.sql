-- Every statement may meet a database that has what it makes already.

-- One number per topic that grows with every change: whoever keeps a table at hand sees by it that something has changed.
CREATE TABLE IF NOT EXISTS quota_revisions (
  topic text PRIMARY KEY,
  revision bigint NOT NULL
);

CREATE TABLE IF NOT EXISTS quota_settings (
  key text PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE IF NOT EXISTS quota_pools (
  id text PRIMARY KEY,
  connection_id text NOT NULL UNIQUE,
  name text NOT NULL,
  unallocated text NOT NULL,
  saturation_threshold double precision,
  when_store_fails text,
  lending text NOT NULL,
  shadow text,
  incarnation text NOT NULL,
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  revision bigint NOT NULL
);

CREATE TABLE IF NOT EXISTS quota_allocations (
  pool_id text NOT NULL REFERENCES quota_pools (id) ON DELETE CASCADE,
  position integer NOT NULL,
  api_key_id text NOT NULL,
  weight double precision NOT NULL,
  policy text NOT NULL,
  cap_unit text,
  cap_window text,
  cap_grains bigint,
  lending_limit double precision,
  borrowing_limit double precision,
  PRIMARY KEY (pool_id, position),
  UNIQUE (pool_id, api_key_id)
);

-- Dimensions as JSON, amounts in units, the way the REST API writes them.
CREATE TABLE IF NOT EXISTS provider_plans (
  connection_id text PRIMARY KEY,
  dimensions text NOT NULL,
  revision bigint NOT NULL
);
