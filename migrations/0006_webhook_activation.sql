R"sql(
-- Since when the webhook was active for which a delivery was made: the place of that event in the
-- webhook's own shard. What ends there ends what was made for earlier times, on whichever node.
ALTER TABLE annolog.webhook_deliveries ADD COLUMN activation bigint NOT NULL DEFAULT 0;
)sql"
