-- The gateway's own tables. Every row says at which revision (quota_revisions, topic 'gateway') it was last written, so that a gateway reads what has
-- changed and no more. Writers take turns on that revision. Constraints are looked at when a change is complete: a configuration that is put in the place of another
-- may hand a secret, a number or a name from one row to the next.
CREATE TABLE IF NOT EXISTS gateway_organisations (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  rpm        bigint CHECK (rpm BETWEEN 0 AND 9007199254740991),
  tpm        bigint CHECK (tpm BETWEEN 0 AND 9007199254740991),
  version    bigint NOT NULL,
  created_at bigint NOT NULL,
  revision   bigint NOT NULL
);

CREATE TABLE IF NOT EXISTS gateway_teams (
  id              text PRIMARY KEY,
  name            text NOT NULL,
  organisation_id text REFERENCES gateway_organisations (id) DEFERRABLE INITIALLY DEFERRED,
  rpm             bigint CHECK (rpm BETWEEN 0 AND 9007199254740991),
  tpm             bigint CHECK (tpm BETWEEN 0 AND 9007199254740991),
  version         bigint NOT NULL,
  created_at      bigint NOT NULL,
  revision        bigint NOT NULL
);

CREATE TABLE IF NOT EXISTS gateway_keys (
  id              text PRIMARY KEY,
  name            text NOT NULL,
  -- SHA-256 of the secret, in hexadecimal. Secrets have 256 random bits, so a plain hash cannot be searched backwards.
  secret_hash     text NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED,
  disabled        boolean NOT NULL,
  -- Demo keys are public knowledge: they open nothing but a gateway that only its own machine can reach.
  loopback_only   boolean NOT NULL,
  team_id         text REFERENCES gateway_teams (id) DEFERRABLE INITIALLY DEFERRED,
  -- Of a key without a team: a key in a team is in that team's organisation.
  organisation_id text REFERENCES gateway_organisations (id) DEFERRABLE INITIALLY DEFERRED,
  rpm             bigint CHECK (rpm BETWEEN 0 AND 9007199254740991),
  tpm             bigint CHECK (tpm BETWEEN 0 AND 9007199254740991),
  ordinal         bigint NOT NULL CHECK (ordinal >= 0) UNIQUE DEFERRABLE INITIALLY DEFERRED,
  version         bigint NOT NULL,
  created_at      bigint NOT NULL,
  revision        bigint NOT NULL,
  CHECK (organisation_id IS NULL OR team_id IS NULL)
);

CREATE TABLE IF NOT EXISTS gateway_connections (
  id         text PRIMARY KEY,
  provider   text NOT NULL,
  -- NULL: the simulator of whichever process answers; its port changes with every start.
  base_url   text,
  -- JSON lists; NULL: every model, the dialects the provider is known for, and the prices of the price list.
  models     text,
  dialects   text,
  prices     text,
  -- How it proves itself to its upstream, sealed with QUOTA_SECRETS_KEY.
  secret     bytea,
  version    bigint NOT NULL,
  created_at bigint NOT NULL,
  revision   bigint NOT NULL
);

CREATE INDEX IF NOT EXISTS gateway_organisations_by_revision ON gateway_organisations (revision);
CREATE INDEX IF NOT EXISTS gateway_teams_by_revision ON gateway_teams (revision);
CREATE INDEX IF NOT EXISTS gateway_keys_by_revision ON gateway_keys (revision);
CREATE INDEX IF NOT EXISTS gateway_connections_by_revision ON gateway_connections (revision);
CREATE INDEX IF NOT EXISTS gateway_teams_by_organisation ON gateway_teams (organisation_id);
CREATE INDEX IF NOT EXISTS gateway_keys_by_team ON gateway_keys (team_id);
CREATE INDEX IF NOT EXISTS gateway_keys_by_organisation ON gateway_keys (organisation_id);

-- What was deleted lately, for gateways that still have it. One that has not looked for longer than these go back reads everything again.
CREATE TABLE IF NOT EXISTS gateway_gone (
  kind     text NOT NULL,
  id       text NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (kind, id)
);

CREATE INDEX IF NOT EXISTS gateway_gone_by_revision ON gateway_gone (revision);

-- Who is signed in on the pages. A row is a session that was begun and not ended; whoever signs out has none.
CREATE TABLE IF NOT EXISTS gateway_sessions (
  -- HMAC-SHA-256 of the session's random id, the admin token as its key: another token finds no session, and neither can be had back from it.
  id_hash  bytea PRIMARY KEY,
  -- Epoch milliseconds. Used is kept to the minute.
  begun_at bigint NOT NULL,
  used_at  bigint NOT NULL
);

-- Settings that hold a password, sealed with QUOTA_SECRETS_KEY.
CREATE TABLE IF NOT EXISTS gateway_secrets (
  name   text PRIMARY KEY,
  secret bytea NOT NULL
);

-- What the key is made of besides QUOTA_SECRETS_KEY, and something sealed with it, by which a gateway sees at its start that it has the same one. One row.
CREATE TABLE IF NOT EXISTS gateway_secrets_key (
  lone  boolean PRIMARY KEY DEFAULT true CHECK (lone),
  salt  bytea NOT NULL,
  proof bytea NOT NULL
);

INSERT INTO quota_revisions (topic, revision) VALUES ('gateway', 0) ON CONFLICT (topic) DO NOTHING;
