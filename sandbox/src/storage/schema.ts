/** Times are milliseconds of the sandbox's clock; amounts are millionths. `seq` orders lists and their cursors. */
export const schema = `
CREATE TABLE IF NOT EXISTS settings (key text PRIMARY KEY, value bigint NOT NULL);
CREATE TABLE IF NOT EXISTS account (id int PRIMARY KEY CHECK (id = 1), balance_micro bigint NOT NULL CHECK (balance_micro >= 0));
CREATE TABLE IF NOT EXISTS balance_entries (
  seq bigserial PRIMARY KEY, kind text NOT NULL, reference text NOT NULL, amount_micro bigint NOT NULL, created_ms bigint NOT NULL);
CREATE TABLE IF NOT EXISTS offer_requests (core text PRIMARY KEY, seq bigserial, params jsonb NOT NULL, created_ms bigint NOT NULL);
CREATE TABLE IF NOT EXISTS offer_changes (offer_id text PRIMARY KEY, price_permille int NOT NULL DEFAULT 1000, gone boolean NOT NULL DEFAULT false);
CREATE TABLE IF NOT EXISTS orders (
  id text PRIMARY KEY, seq bigserial, offer_id text NOT NULL, booking_reference text NOT NULL, type text NOT NULL,
  state text NOT NULL, ticketing text NOT NULL, ticketing_fault text, ticketing_delay_ms int NOT NULL,
  total_micro bigint NOT NULL, tax_micro bigint NOT NULL, paid_micro bigint NOT NULL, metadata jsonb NOT NULL, users jsonb NOT NULL,
  details jsonb NOT NULL, documents jsonb NOT NULL DEFAULT '[]', created_ms bigint NOT NULL,
  payment_required_by_ms bigint, price_guarantee_ms bigint, paid_ms bigint, cancelled_ms bigint);
CREATE INDEX IF NOT EXISTS orders_by_offer ON orders (offer_id);
CREATE INDEX IF NOT EXISTS orders_by_reference ON orders (booking_reference);
CREATE INDEX IF NOT EXISTS orders_by_seq ON orders (seq);
CREATE INDEX IF NOT EXISTS orders_by_metadata ON orders USING gin (metadata jsonb_path_ops);
CREATE INDEX IF NOT EXISTS orders_by_booking ON orders ((metadata->>'booking_id'));
CREATE TABLE IF NOT EXISTS payments (
  id text PRIMARY KEY, seq bigserial, order_id text NOT NULL REFERENCES orders (id), type text NOT NULL, amount_micro bigint NOT NULL,
  airline_credit_id text, status text NOT NULL, failure_reason text, created_ms bigint NOT NULL);
ALTER TABLE payments ADD COLUMN IF NOT EXISTS pays_for text NOT NULL DEFAULT 'order';
CREATE INDEX IF NOT EXISTS payments_by_order ON payments (order_id);
CREATE TABLE IF NOT EXISTS order_cancellations (
  id text PRIMARY KEY, seq bigserial, order_id text NOT NULL REFERENCES orders (id), refund_micro bigint NOT NULL,
  credit_refund_micro bigint NOT NULL, refund_to text NOT NULL, credit_ids jsonb NOT NULL DEFAULT '[]',
  expires_ms bigint NOT NULL, created_ms bigint NOT NULL, confirmed_ms bigint);
CREATE TABLE IF NOT EXISTS airline_credits (
  id text PRIMARY KEY, seq bigserial, airline text NOT NULL, amount_micro bigint NOT NULL, code text NOT NULL, type text NOT NULL,
  issued_on text NOT NULL, expires_on text NOT NULL, given_name text, family_name text, user_id text, order_id text, passenger_id text,
  created_ms bigint NOT NULL, spent_ms bigint, invalidated_ms bigint);
CREATE TABLE IF NOT EXISTS customer_users (
  id text PRIMARY KEY, seq bigserial, email text NOT NULL, given_name text NOT NULL, family_name text NOT NULL, phone_number text,
  created_ms bigint NOT NULL);
CREATE INDEX IF NOT EXISTS customer_users_by_email ON customer_users (lower(email));
CREATE TABLE IF NOT EXISTS webhook_endpoints (
  id text PRIMARY KEY, seq bigserial, url text NOT NULL, events jsonb NOT NULL, secret text NOT NULL, active boolean NOT NULL,
  created_ms bigint NOT NULL, updated_ms bigint NOT NULL);
CREATE TABLE IF NOT EXISTS webhook_events (id text PRIMARY KEY, seq bigserial, type text NOT NULL, body text NOT NULL, created_ms bigint NOT NULL);
CREATE TABLE IF NOT EXISTS webhook_deliveries (
  id text PRIMARY KEY, seq bigserial, event_id text NOT NULL REFERENCES webhook_events (id),
  endpoint_id text NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE, attempts int NOT NULL DEFAULT 0,
  due_ms bigint, response_status int, delivered_ms bigint, created_ms bigint NOT NULL);
CREATE INDEX IF NOT EXISTS webhook_deliveries_due ON webhook_deliveries (due_ms) WHERE due_ms IS NOT NULL;
CREATE TABLE IF NOT EXISTS jobs (seq bigserial PRIMARY KEY, kind text NOT NULL, reference text NOT NULL, due_ms bigint NOT NULL);
CREATE INDEX IF NOT EXISTS jobs_due ON jobs (due_ms);
CREATE TABLE IF NOT EXISTS scenarios (
  id text PRIMARY KEY, seq bigserial, method text, path text NOT NULL, fault text NOT NULL, remaining int NOT NULL, delay_ms int NOT NULL,
  created_ms bigint NOT NULL);
ALTER TABLE scenarios ADD COLUMN IF NOT EXISTS tenant text;
CREATE TABLE IF NOT EXISTS stay_searches (id text PRIMARY KEY, params jsonb NOT NULL, created_ms bigint NOT NULL);
ALTER TABLE orders ADD COLUMN IF NOT EXISTS services jsonb NOT NULL DEFAULT '[]', ADD COLUMN IF NOT EXISTS changes jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN IF NOT EXISTS airline_changes jsonb NOT NULL DEFAULT '[]', ADD COLUMN IF NOT EXISTS cancellation jsonb,
  ADD COLUMN IF NOT EXISTS refunded_micro bigint NOT NULL DEFAULT 0, ADD COLUMN IF NOT EXISTS service_permille int NOT NULL DEFAULT 1000,
  ADD COLUMN IF NOT EXISTS refund_permille int NOT NULL DEFAULT 1000;
CREATE TABLE IF NOT EXISTS booked_seats (flight text NOT NULL, designator text NOT NULL, order_id text, PRIMARY KEY (flight, designator));
CREATE INDEX IF NOT EXISTS booked_seats_by_order ON booked_seats (order_id);
CREATE TABLE IF NOT EXISTS order_change_requests (
  id text PRIMARY KEY, seq bigserial, order_id text NOT NULL REFERENCES orders (id), slices jsonb NOT NULL, created_ms bigint NOT NULL);
CREATE TABLE IF NOT EXISTS order_change_offers (
  id text PRIMARY KEY, seq bigserial, request_id text NOT NULL REFERENCES order_change_requests (id), order_id text NOT NULL,
  order_change_id text, plan jsonb NOT NULL, order_total_micro bigint NOT NULL, change_micro bigint NOT NULL, new_total_micro bigint NOT NULL,
  penalty_micro bigint NOT NULL, refund_to text, duration_ms bigint NOT NULL, expires_ms bigint NOT NULL, created_ms bigint NOT NULL,
  updated_ms bigint NOT NULL);
CREATE INDEX IF NOT EXISTS order_change_offers_by_request ON order_change_offers (request_id);
CREATE TABLE IF NOT EXISTS order_changes (
  id text PRIMARY KEY, seq bigserial, order_id text NOT NULL REFERENCES orders (id), offer_id text NOT NULL, plan jsonb NOT NULL,
  order_total_micro bigint NOT NULL, change_micro bigint NOT NULL, new_total_micro bigint NOT NULL, penalty_micro bigint NOT NULL, refund_to text,
  refund_micro bigint NOT NULL DEFAULT 0, credit_refund_micro bigint NOT NULL DEFAULT 0, payment_id text, expires_ms bigint NOT NULL,
  created_ms bigint NOT NULL, confirmed_ms bigint);
CREATE INDEX IF NOT EXISTS order_changes_by_order ON order_changes (order_id);
CREATE TABLE IF NOT EXISTS airline_initiated_changes (
  id text PRIMARY KEY, seq bigserial, order_id text NOT NULL REFERENCES orders (id), added jsonb NOT NULL, removed jsonb NOT NULL,
  action_taken text, action_taken_ms bigint, created_ms bigint NOT NULL, updated_ms bigint NOT NULL);
CREATE INDEX IF NOT EXISTS airline_initiated_changes_by_order ON airline_initiated_changes (order_id);
`;
