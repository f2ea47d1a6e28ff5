/** Stays, groups of customer users, and what webhooks can be made to do; the conventions are those of `schema.ts`. */
export const staysSchema = `
CREATE TABLE IF NOT EXISTS stay_quotes (
  id text PRIMARY KEY, rate_id text NOT NULL, total_micro bigint NOT NULL, details jsonb NOT NULL,
  expires_ms bigint NOT NULL, created_ms bigint NOT NULL);
CREATE TABLE IF NOT EXISTS stay_bookings (
  id text PRIMARY KEY, seq bigserial, quote_id text NOT NULL, reference text NOT NULL, status text NOT NULL,
  total_micro bigint NOT NULL, refund_micro bigint NOT NULL DEFAULT 0, contact jsonb NOT NULL, guests jsonb NOT NULL,
  users jsonb NOT NULL, metadata jsonb NOT NULL, details jsonb NOT NULL, created_ms bigint NOT NULL,
  confirmed_ms bigint, cancelled_ms bigint);
CREATE INDEX IF NOT EXISTS stay_bookings_by_booking ON stay_bookings ((metadata->>'booking_id'));
CREATE INDEX IF NOT EXISTS stay_bookings_by_seq ON stay_bookings (seq);
CREATE TABLE IF NOT EXISTS negotiated_rates (
  id text PRIMARY KEY, seq bigserial, rate_access_code text NOT NULL, display_name text NOT NULL, chain_id text,
  accommodation_ids jsonb, created_ms bigint NOT NULL);
CREATE TABLE IF NOT EXISTS customer_user_groups (id text PRIMARY KEY, seq bigserial, name text NOT NULL, created_ms bigint NOT NULL);
ALTER TABLE customer_users ADD COLUMN IF NOT EXISTS group_id text REFERENCES customer_user_groups (id) ON DELETE SET NULL;
ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS response_body text;
ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS held_by text;
ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS after_id text;
CREATE INDEX IF NOT EXISTS webhook_deliveries_held ON webhook_deliveries (held_by) WHERE held_by IS NOT NULL;
CREATE INDEX IF NOT EXISTS webhook_deliveries_after ON webhook_deliveries (after_id) WHERE after_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS webhook_disturbances (
  id text PRIMARY KEY, seq bigserial, kind text NOT NULL, event_type text, remaining int NOT NULL, copies int NOT NULL,
  delay_ms bigint NOT NULL);
`;
