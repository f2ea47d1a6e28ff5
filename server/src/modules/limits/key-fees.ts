import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import type { Aggregates } from "./context.ts";
import { limitExceeded } from "./limit-exceeded.ts";
import { formatPeriod, renewalInstant } from "./periods.ts";
import type { LimitsInForce, Spender } from "./spend-limits.ts";

type Stores = Pick<Aggregates, "keyFees">;

/** A record is stored within this time after its id was made: older ones are counted once. */
const SETTLED_MINUTES = 10;
const MOST_REMEMBERED = 10_000;

/** The costs of a key's calls this month. */
export interface FeesState {
  limit: Micro;
  used: Micro;
  left: Micro;
  renewsAt: Temporal.Instant;
}

/** The sum up to a moment, after which no earlier record is stored any more. */
interface Counted {
  month: string;
  until: Temporal.Instant;
  sum: Micro;
}

/**
 * The cap on what the calls of a key cost in a month. Calls that write or spend take their share one after the other. Reads have
 * no reservation: some that run at the same moment can exceed it, by no more than their own price.
 */
export class KeyFees {
  readonly #counted = new Map<string, Counted>();

  /** Undefined: the key has no such cap. */
  async read(
    stores: Stores,
    spender: Spender,
    { key: { fees: limit } }: LimitsInForce,
    { at, exceptCallId = "" }: { at: Temporal.Instant; exceptCallId?: string },
  ): Promise<FeesState | undefined> {
    if (limit === undefined) return undefined;
    const used = await this.#sum(stores, spender, { at, exceptCallId });
    return {
      limit,
      used,
      left: limit > used ? limit - used : 0n,
      renewsAt: renewalInstant({ period: formatPeriod("perMonth", at) }),
    };
  }

  /** Throws if the cap leaves too little for the call. */
  async require(stores: Stores, call: PendingCall, inForce: LimitsInForce): Promise<void> {
    if (call.paidBy !== "tenant" || call.price === 0n) return;
    const state = await this.read(stores, call, inForce, { at: call.startedAt, exceptCallId: call.id });
    if (state !== undefined && call.price > state.left) throw feesExceeded(call, state);
  }

  /** In the transaction that reserves the call: the last word for a call that writes or spends. */
  async reserve(stores: Stores, call: PendingCall, inForce: LimitsInForce): Promise<void> {
    if (inForce.key.fees === undefined) return;
    await stores.keyFees.lock(call);
    await this.require(stores, call, inForce);
  }

  async #sum(
    { keyFees }: Stores,
    spender: Spender,
    { at, exceptCallId }: { at: Temporal.Instant; exceptCallId: string },
  ): Promise<Micro> {
    const month = formatPeriod("perMonth", at);
    const known = this.#counted.get(spender.keyId);
    const begin = Temporal.PlainDate.from(`${month}-01`).toZonedDateTime("UTC").toInstant();
    const counted = known?.month === month ? known : { month, until: begin, sum: 0n };
    const settled = at.subtract({ minutes: SETTLED_MINUTES });
    const isOlder = Temporal.Instant.compare(settled, counted.until) > 0;
    const until = isOlder ? settled : counted.until;
    const sum = counted.sum + (isOlder ? await keyFees.sum(spender, counted.until, until) : 0n);
    if (this.#counted.size >= MOST_REMEMBERED) this.#counted.clear();
    this.#counted.set(spender.keyId, { month, until, sum });
    return sum + (await keyFees.open(spender, until, exceptCallId));
  }
}

function feesExceeded(call: PendingCall, { limit, used, left, renewsAt }: FeesState) {
  return limitExceeded(call, {
    limited: "key",
    limit: "fees",
    says: `The calls of this key may cost ${formatDecimal(limit)} USDC a month, of which ${formatDecimal(left)} USDC are left. This call costs ${formatDecimal(call.price)} USDC. Wait until ${renewsAt}.`,
    extra: {
      limitUsdc: formatDecimal(limit),
      usedUsdc: formatDecimal(used),
      leftUsdc: formatDecimal(left),
      neededUsdc: formatDecimal(call.price),
      renewsAt: renewsAt.toString(),
    },
  });
}
