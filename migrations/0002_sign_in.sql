R"sql(
-- What all nodes know of attempts to sign in; it lasts minutes and is in no event. Nobody can be
-- named by it: `caller` is a keyed digest of address and username.

CREATE TABLE annolog.sign_in_failures (
  caller   text PRIMARY KEY,
  failures integer NOT NULL,           -- in a row
  last_at  timestamptz NOT NULL
);
CREATE INDEX sign_in_failures_last_at ON annolog.sign_in_failures (last_at);

-- Captchas that were answered, rightly or not, until they expire.
CREATE TABLE annolog.answered_captchas (
  captcha    text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX answered_captchas_expires_at ON annolog.answered_captchas (expires_at);
)sql"
