import { type Insertable, sql } from "kysely";
import pg from "pg";
import type { Micro } from "../../../domain/money.ts";
import { settleOneByOne } from "../../../platform/batching/batch.ts";
import type { Database, Queryable } from "../../../platform/database/database.ts";
import { prepared } from "../../../platform/database/prepared.ts";
import type { ClaimRefusal, NewPayment, PaymentClaim } from "../payments.ts";
import { authorizationKey, findIdentifiedPayment, findPayments, toJson, toRow } from "../store-payment-rows.ts";

/** The most unpaid answers of a payer; beyond that its calls are refused. */
const MOST_RECEIVABLES = 3;
/**
 * Pending payments can all fail, each at the cost of a transaction: a payer may have as many pending as it has settled, plus
 * these.
 */
const UNDER_WAY_AT_FIRST = 16;
const MOST_UNDER_WAY = 1_000;

export interface ClaimRequest {
  payment: NewPayment;
  balance: Micro | undefined;
}

/** Another payment already holds the authorization or its identifier. */
interface Taken {
  kind: "taken";
}

type Written = { kind: "claimed" } | Taken;

/** Raised by the database's function `refuse_claim`, with the reason as its message. */
const REFUSED = "WF001";
const refusals: readonly ClaimRefusal[] = ["payer_owes", "too_many_open", "insufficient_funds"];

/** Rolls a claim back. */
class ClaimRefused extends Error {
  readonly reason: ClaimRefusal;

  constructor(reason: ClaimRefusal) {
    super(reason);
    this.reason = reason;
  }
}

/** Batches claims that arrive together into one transaction; if one of them fails, each gets its own. */
export async function claimTogether(
  db: Queryable,
  requests: readonly ClaimRequest[],
  at: string,
): Promise<readonly PromiseSettledResult<PaymentClaim>[]> {
  if (requests.length > 1) {
    try {
      const written = await writeClaims(db, requests, at);
      return await Promise.allSettled(requests.map((request, index) => toClaim(db, request, at, written[index])));
    } catch (error) {
      // The server answered, so the transaction was rolled back.
      if (!(error instanceof ClaimRefused || error instanceof pg.DatabaseError)) throw error;
    }
  }
  return await settleOneByOne(requests, (request) => claimAlone(db, request, at));
}

async function claimAlone(db: Queryable, request: ClaimRequest, at: string): Promise<PaymentClaim> {
  try {
    const [written] = await writeClaims(db, [request], at);
    return await toClaim(db, request, at, written);
  } catch (error) {
    if (error instanceof ClaimRefused) return { kind: "refused", reason: error.reason };
    throw error;
  }
}

async function toClaim(
  db: Queryable,
  request: ClaimRequest,
  at: string,
  written: Written | undefined,
): Promise<PaymentClaim> {
  if (written !== undefined && written.kind !== "taken") return written;
  const { environment, signed } = request.payment;
  const [known] = await findPayments(db, [authorizationKey(environment, signed)]);
  const stored = known ?? (await findIdentifiedPayment(db, environment, signed));
  // Not found: the conflicting claim was released between the two statements.
  return stored === undefined ? await claimAlone(db, request, at) : { kind: "taken", payment: stored };
}

/**
 * Writes in one statement the payments, their payers' open amounts, and the rows of calls with effects. Payments are locked
 * before payers, each in a fixed order, as everywhere. Waits for a concurrent claim of the same authorization or identifier. Throws
 * ClaimRefused when a payer asks for too much: the statement then fails by itself, which undoes all of it without a transaction
 * around it.
 */
async function writeClaims(db: Queryable, requests: readonly ClaimRequest[], at: string): Promise<readonly Written[]> {
  const rows = requests.map(({ payment }) => ({ ...toRow(payment, at), state: "claimed", latencyMs: 0 }));
  const calls = requests.filter(({ payment }) => payment.hasEffects).map(({ payment }) => toCall(payment, at));
  const [paymentColumns, callColumns] = [listColumns(rows), listColumns(calls)];
  const statement = sql<{ id: string }>`
    ${prepared("claim-payments")}
    with inserted as (
      insert into payment (${paymentColumns})
      select ${paymentColumns} from json_populate_recordset(null::payment, ${toJson(rows)})
      order by network, chain, asset, payer, nonce
      on conflict do nothing
      returning id, call_id, network, chain, asset, payer, amount_micro
    ),
    purse as (
      insert into payment_payer (network, chain, asset, payer, open_micro, under_way)
      select network, chain, asset, payer, sum(amount_micro)::bigint, count(*) from inserted
      group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (network, chain, asset, payer) do update set open_micro = payment_payer.open_micro + excluded.open_micro,
        under_way = payment_payer.under_way + excluded.under_way
      returning network, chain, asset, payer, open_micro, receivables, under_way, settled
    )
    ${
      calls.length === 0
        ? sql``
        : sql`, called as (
      insert into call (${callColumns})
      select ${callColumns} from json_populate_recordset(null::call, ${toJson(calls)}) as line
      where line.id in (select call_id from inserted)
    )`
    }
    select inserted.id, case
      when purse.receivables >= ${MOST_RECEIVABLES} then refuse_claim('payer_owes')
      when purse.under_way > greatest(${UNDER_WAY_AT_FIRST}, least(purse.settled, ${MOST_UNDER_WAY}))
        then refuse_claim('too_many_open')
      when purse.open_micro > asked.balance then refuse_claim('insufficient_funds')
    end as refused
    from inserted join purse using (network, chain, asset, payer)
      join unnest(${requests.map(({ payment }) => payment.id)}::text[],
                  ${requests.map(({ balance }) => balance?.toString() ?? null)}::bigint[]) as asked (id, balance) using (id)`;
  const written = await statement.execute(db).catch((error: unknown) => {
    throw readRefusal(error) ?? error;
  });
  const inserted = new Set(written.rows.map(({ id }) => id));
  return requests.map(({ payment }) => ({ kind: inserted.has(payment.id) ? "claimed" : "taken" }));
}

function readRefusal(error: unknown): ClaimRefused | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== REFUSED) return undefined;
  const reason = refusals.find((one) => one === error.message);
  return reason === undefined ? undefined : new ClaimRefused(reason);
}

function listColumns(rows: readonly object[]) {
  return sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)));
}

function toCall(payment: NewPayment, at: string): Insertable<Database["call"]> {
  return {
    id: payment.callId,
    tenantId: payment.tenantId ?? `payer:${payment.signed.payer}`,
    environment: payment.environment,
    keyId: payment.keyId ?? "",
    subject: payment.subject,
    tool: payment.tool,
    surface: "paid",
    period: at.slice(0, 7),
    listPriceMicro: payment.listPrice,
    discountPercent: payment.discountPercent,
    // The payment pays, so the tenant's cap is not used.
    priceMicro: 0n,
    usageStatus: payment.environment === "sandbox" ? "sandbox" : "settled",
    traceId: payment.traceId,
    idempotencyKey: null,
    processId: payment.processId,
    state: "reserved",
    effect: "none",
    result: null,
    usageId: null,
    createdAt: at,
    settledAt: null,
  };
}
