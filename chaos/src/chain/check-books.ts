import type { Hex } from "../../../server/src/domain/tokens.ts";
import { tokenSymbols } from "../../../server/src/domain/tokens.ts";
import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { ChainBooks } from "./books.ts";
import { balanceKey, type ChainFacts, type Transfer } from "./chain-view.ts";
import { NOBODY } from "./journal.ts";

/** Our books against the chain's. */

type Order = ChainBooks["orders"][number];
type Facts = Pick<ChainFacts, "transfers" | "balances">;

const name = ({ purpose, id }: Order): string => `${purpose} ${id}`;

/** Whether this event is the one that the order is about. */
function matchesOrder({ chain_order: order }: Order, { token, from, to, amount }: Transfer): boolean {
  if (token !== order.token) return false;
  switch (order.kind) {
    case "transfer":
      return from === order.from && to === order.to && amount === order.amount;
    case "split":
      return from === order.from && amount === order.gross;
    case "mint":
      return from === NOBODY && to === order.to && amount === order.amount;
    case "drip":
      return from === NOBODY && to === order.to;
    default:
      return false;
  }
}

export function checkOrdersOnChain({ orders }: ChainBooks, { transfers }: Facts): Finding {
  const byHash = Map.groupBy(transfers, ({ hash }) => hash);
  const confirmed = orders.filter(({ state }) => state === "confirmed");
  const problems = findRepeated(confirmed, ({ hash }) => `an order of ${hash}`);
  for (const order of confirmed) {
    // In a registry nothing moves.
    if (order.chain_order.kind === "agent_registry") continue;
    const found = (order.hash === null ? [] : (byHash.get(order.hash) ?? [])).filter((one) => matchesOrder(order, one));
    if (found.length !== 1) problems.push(`${name(order)} is confirmed and ${found.length} times in ${order.hash}`);
  }
  const known = new Set(confirmed.map(({ hash }) => hash));
  for (const [hash, moved] of byHash) {
    if (!known.has(hash))
      problems.push(`${hash} moved ${moved[0]?.amount} ${moved[0]?.token} without an order of ours`);
  }
  return {
    invariant: "orders that are confirmed and transfers on the chain are the same, one to one",
    onlyAlone: true,
    checked: byHash.size,
    problems,
  };
}

export function checkRevertedMovedNothing(orders: readonly Order[], transfers: readonly Transfer[]): Finding {
  const moved = new Set<Hex>(transfers.map(({ hash }) => hash));
  const problems = orders
    .filter(({ state }) => state === "reverted")
    .flatMap((order) =>
      [order.hash, ...order.earlier_hashes]
        .filter((hash) => hash !== null && moved.has(hash))
        .map((hash) => `${name(order)} failed, and ${hash} moved money`),
    );
  return { invariant: "orders that failed moved nothing", checked: orders.length, problems };
}

export function checkCustody({ wallets, custody }: ChainBooks, { balances }: Facts): Finding {
  const booked = new Map(custody.map(({ address, token, amount }) => [balanceKey(token, address), amount]));
  const problems: string[] = [];
  for (const { address, kind, tenant_id } of wallets) {
    for (const token of tokenSymbols) {
      const key = balanceKey(token, address);
      const [books, chain] = [booked.get(key) ?? 0n, balances.get(key)];
      if (books !== chain) {
        problems.push(
          `the books give the ${kind} ${address} (${tenant_id ?? "the service's"}) ${books} ${token}, the chain ${chain}`,
        );
      }
    }
  }
  return {
    invariant: "each wallet has on the chain what the books give it, of each token",
    checked: wallets.length * tokenSymbols.length,
    problems,
  };
}

export function checkPostings({ wallets, postings }: ChainBooks, { transfers }: Facts): Finding {
  const ours = new Set<string>(wallets.map(({ address }) => address));
  const nameEvent = ({ hash, logIndex }: { hash: string; logIndex: number }) => `event ${logIndex} of ${hash}`;
  const posted = new Set(postings.map(({ hash, log_index }) => nameEvent({ hash, logIndex: log_index })));
  const events = new Set(
    transfers.filter(({ from, to, amount }) => amount > 0n && (ours.has(from) || ours.has(to))).map(nameEvent),
  );
  const problems = [
    ...findRepeated(postings, ({ hash, log_index }) => `a posting of ${nameEvent({ hash, logIndex: log_index })}`),
    ...[...events].filter((event) => !posted.has(event)).map((event) => `${event} is not posted`),
    ...[...posted].filter((event) => !events.has(event)).map((event) => `${event} is posted and not on the chain`),
  ];
  return {
    invariant: "every event of our wallets is posted once, and nothing else is",
    onlyAlone: true,
    checked: events.size,
    problems,
  };
}

export function checkNothingOpen({ orders }: ChainBooks): Finding {
  const problems = orders
    .filter(({ state }) => state !== "confirmed" && state !== "reverted")
    .map((order) => `${name(order)} is ${order.state}`);
  return { invariant: "every order came to its end", checked: orders.length, problems };
}

const CAPTURE = "capture";

/** A capture that was reverted is tried again under the same key with a number. */
const findBookingId = ({ idempotency_key }: Order): string | undefined =>
  /^capture:booking:(.*?)(?:#\d+)?$/.exec(idempotency_key)?.[1];

export function checkCaptures({ bookings, orders, wallets }: ChainBooks, { transfers }: Facts): Finding {
  const captures = Map.groupBy(
    orders.filter(({ purpose, state }) => purpose === CAPTURE && state === "confirmed"),
    (order) => findBookingId(order) ?? order.idempotency_key,
  );
  const collection = wallets.find(({ kind }) => kind === "collection")?.address;
  const problems: string[] = [];
  for (const { id, state, amount } of bookings) {
    const own = captures.get(id) ?? [];
    const events = own.flatMap(({ hash }) => transfers.filter((one) => one.hash === hash && one.to === collection));
    const expected = state === "booked" && amount > 0n ? [amount] : [];
    if (String(events.map((event) => event.amount)) !== String(expected)) {
      problems.push(
        `booking ${id} is ${state} over ${amount}, captured on the chain: ${events.map((event) => event.amount) || "nothing"}`,
      );
    }
  }
  const known = new Set(bookings.map(({ id }) => id));
  for (const [booking] of captures) if (!known.has(booking)) problems.push(`${booking} was captured and is no booking`);
  return {
    invariant: "booked flights were captured once on the chain, of their amount; failed ones were not",
    onlyAlone: true,
    checked: bookings.length,
    problems,
  };
}

/** Who was charged had the order carried out, and the other way round. */
export function checkPaidCalls({ paidCalls, orders, bookings }: ChainBooks): Finding {
  const tools = new Set(["send_tokens", "settle_split", "faucet_drip", "book_flight"]);
  const paid = paidCalls.filter(({ tool }) => tools.has(tool)).map(({ call_id }) => call_id ?? "without a call");
  const confirmedCalls = [
    ...orders.filter(({ state, purpose }) => state === "confirmed" && tools.has(purpose)).map(({ call_id }) => call_id),
    ...bookings.filter(({ state }) => state === "booked").map(({ call_id }) => call_id),
  ];
  const done = new Set(confirmedCalls.flatMap((call) => (call === null ? [] : [call])));
  const charged = new Set(paid);
  const problems = [
    ...findRepeated(paid, (call) => `a charge for ${call}`),
    ...[...charged].filter((call) => !done.has(call)).map((call) => `${call} is charged for and was not carried out`),
    ...[...done].filter((call) => !charged.has(call)).map((call) => `${call} was carried out and is not charged for`),
  ];
  return { invariant: "charged for is exactly what was carried out", onlyAlone: true, checked: done.size, problems };
}

export function checkNotStopped({ chains }: Pick<ChainBooks, "chains">): Finding {
  const problems = chains.flatMap(({ network, stopped_because }) =>
    stopped_because === null ? [] : [`${network}: ${stopped_because}`],
  );
  return { invariant: "money never had to stand still", checked: chains.length, problems };
}

/** Orders that were stored before a kill and ended after it. */
export function checkCaught({ orders }: ChainBooks, killedAt: readonly number[]): Finding {
  const caught = orders.filter(({ created_at, updated_at }) =>
    killedAt.some((at) => created_at.getTime() <= at && at < updated_at.getTime()),
  );
  const problems = caught
    .filter(({ state }) => state !== "confirmed" && state !== "reverted")
    .map((order) => `${name(order)} is still ${order.state}`);
  return { invariant: "orders that a kill caught under way came to their end", checked: caught.length, problems };
}
