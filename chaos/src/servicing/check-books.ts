import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { ServicingBooks } from "./books.ts";
import { DEAD, isConfirmed, paidOrders } from "./check-effects.ts";

/** Our books against the supplier's own ledger, once everything came to its end. */

/** An order that is on hold costs nothing and waits for nothing. */
const FINAL: ReadonlySet<string> = new Set(["booked", "done", "failed", "on_hold"]);

export function checkFinal({ bookings, actions }: ServicingBooks): Finding {
  const all = [...bookings, ...actions];
  const problems = all.filter(({ state }) => !FINAL.has(state)).map(({ id, state }) => `${id} is ${state}`);
  return { invariant: "every booking, cancellation and change came to its end", checked: all.length, problems };
}

/** Our orders and the supplier's agree. */
export function checkOrders(books: ServicingBooks): Finding {
  const { bookings, supplier } = books;
  const booked = bookings.filter(({ state }) => state === "booked");
  const paid = [
    ...paidOrders(supplier).map(({ id, state, total_amount: total, metadata }) => {
      return { id, kind: "flight", status: DEAD.has(state) ? "cancelled" : "confirmed", total, metadata };
    }),
    ...supplier.stayBookings
      .filter(({ paid_amount }) => paid_amount > 0n)
      .map(({ id, status, total_amount: total, metadata }) => ({ id, kind: "stay", status, total, metadata })),
  ];
  const theirs = new Map(paid.map((order) => [order.id, order]));
  const problems = findRepeated(booked, ({ order_id }) => `a booking of order ${order_id}`);
  const ours = new Set(booked.map(({ order_id }) => order_id));
  for (const [id, { metadata, status }] of theirs) {
    if (!ours.has(id)) problems.push(`order ${id} (${status}) of ${metadata.booking_id} is paid and none of ours`);
  }
  for (const { id, kind, order_id, order_status, total } of booked) {
    const order = theirs.get(order_id ?? "");
    const theirsIs = order && `${order.kind} ${order.status} over ${order.total} of ${order.metadata.booking_id}`;
    const oursIs = `${kind} ${order_status} over ${total} of ${id}`;
    if (theirsIs !== oursIs) problems.push(`order ${order_id} is ${oursIs}, the supplier says ${theirsIs}`);
  }
  const bookedIds = new Set(booked.map(({ id }) => id));
  for (const { id, state, metadata } of supplier.orders) {
    if (!theirs.has(id) && !DEAD.has(state) && bookedIds.has(metadata.booking_id ?? ""))
      problems.push(`booking ${metadata.booking_id} is booked and also has the unpaid order ${id}`);
  }
  return {
    invariant: "orders at the supplier and bookings of ours are the same, one to one",
    checked: theirs.size,
    problems,
  };
}

/** Cancellations and changes, both ways. */
export function checkActions({ bookings, actions, supplier }: ServicingBooks): Finding {
  const booked = new Set(bookings.filter(({ state }) => state === "booked").map(({ order_id }) => order_id));
  // Among the others, the service itself cancels holds that nobody paid for.
  const ofOurs = ({ order_id }: { order_id: string }) => booked.has(order_id);
  const theirs = [
    ...supplier.cancellations
      .filter(isConfirmed)
      .filter(ofOurs)
      .map(({ id }) => `flight_cancellation ${id}`),
    ...supplier.changes.filter(isConfirmed).map(({ id }) => `flight_change ${id}`),
    ...supplier.stayCancellations.map(({ booking_id }) => `stay_cancellation ${booking_id}`),
  ];
  const done = actions.filter(({ state }) => state === "done").map(({ kind, subject_id }) => `${kind} ${subject_id}`);
  const [atSupplier, inBooks] = [new Set(theirs), new Set(done)];
  const problems = [
    ...findRepeated(done, (name) => name),
    ...theirs.filter((name) => !inBooks.has(name)).map((name) => `${name} took place and is not in our books`),
    ...done.filter((name) => !atSupplier.has(name)).map((name) => `${name} is done and did not take place`),
  ];
  return {
    invariant: "cancellations and changes at the supplier are those of our books",
    checked: theirs.length,
    problems,
  };
}

/** By booking: the payments and refunds of the supplier's balance equal the tenant's. */
export function checkMoney({ bookings, actions, supplier }: ServicingBooks): Finding {
  const orders = new Map(supplier.orders.map(({ id, metadata }) => [id, metadata.booking_id ?? id]));
  const nameBooking = (orderId: string) => orders.get(orderId) ?? orderId;
  const theirs = new Map<string, bigint>();
  const ours = new Map<string, bigint>();
  const add = (sums: Map<string, bigint>, name: string, amount: bigint) =>
    sums.set(name, (sums.get(name) ?? 0n) + amount);
  for (const { order_id, type, status, amount } of supplier.payments) {
    if (status === "succeeded" && type !== "airline_credit") add(theirs, nameBooking(order_id), amount);
  }
  for (const one of [...supplier.cancellations, ...supplier.changes].filter(isConfirmed)) {
    add(theirs, nameBooking(one.order_id), -one.refund_amount);
  }
  const stays = new Map(supplier.stayBookings.map(({ id, metadata }) => [id, metadata.booking_id ?? id]));
  for (const { metadata, id, paid_amount } of supplier.stayBookings)
    add(theirs, metadata.booking_id ?? id, paid_amount);
  for (const { booking_id, refund_amount } of supplier.stayCancellations) {
    add(theirs, stays.get(booking_id) ?? booking_id, -refund_amount);
  }
  for (const { id, charged } of bookings) add(ours, id, charged);
  for (const { booking_id, charged, refunded } of actions) add(ours, booking_id, charged - refunded);
  const problems = [...new Set([...theirs.keys(), ...ours.keys()])].flatMap((id) => {
    const [paid, taken] = [theirs.get(id) ?? 0n, ours.get(id) ?? 0n];
    return paid === taken ? [] : [`the supplier was paid ${paid} for ${id}, the tenant ${taken}`];
  });
  return {
    invariant: "each booking cost its tenant what the supplier was paid for it",
    onlyAlone: true,
    checked: ours.size,
    problems,
  };
}

/** All bookings together, against the ledger: the tenants' balances fell by the total, and the supplier's account received it. */
export function checkPurses(
  { bookings, actions, purses, collection, supplier }: ServicingBooks,
  opening: bigint,
): Finding {
  const spent = new Map<string, bigint>();
  const add = (tenant: string, amount: bigint) => spent.set(tenant, (spent.get(tenant) ?? 0n) + amount);
  for (const { tenant_id, charged } of bookings) add(tenant_id, charged);
  for (const { tenant_id, charged, refunded } of actions) add(tenant_id, charged - refunded);
  const problems = purses.flatMap(({ tenant_id, balance }) => {
    const expected = opening - (spent.get(tenant_id) ?? 0n);
    return balance === expected ? [] : [`${tenant_id} has ${balance}, what it spent leaves ${expected}`];
  });
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const paid = sum([
    ...supplier.payments
      .filter(({ status, type }) => status === "succeeded" && type !== "airline_credit")
      .map(({ amount }) => amount),
    ...supplier.stayBookings.map(({ paid_amount }) => paid_amount),
  ]);
  const back = sum(supplier.refunds.map(({ amount }) => amount));
  if (collection !== paid - back) {
    problems.push(`collected ${collection}, the supplier was paid ${paid} and gave back ${back}`);
  }
  return {
    invariant: "treasuries and collection add up to what the supplier got",
    onlyAlone: true,
    checked: purses.length,
    problems,
  };
}

/** The rest of a spent credit comes back as another one, which no cancellation names. */
export function checkCredits({ actions, supplier }: ServicingBooks): Finding {
  const issued = new Map(supplier.credits.map(({ id, amount }) => [id, amount]));
  const promised = new Map(supplier.cancellations.map(({ id, credit_refund_amount }) => [id, credit_refund_amount]));
  const cancelled = actions.filter(({ kind, state }) => kind === "flight_cancellation" && state === "done");
  const problems = findRepeated(
    cancelled.flatMap(({ credits }) => credits),
    ({ id }) => `credit ${id}`,
  );
  for (const { subject_id, credits } of cancelled) {
    const named = credits.reduce((sum, { amount }) => sum + amount, 0n);
    if (named !== promised.get(subject_id)) {
      problems.push(`${subject_id} named credits over ${named}, the supplier gave ${promised.get(subject_id)}`);
    }
    for (const { id, amount } of credits) {
      if (issued.get(id) !== amount) problems.push(`credit ${id} over ${amount} is ${issued.get(id)} at the supplier`);
    }
  }
  const given = cancelled.filter(({ credits }) => credits.length > 0).length;
  return { invariant: "airline credits were issued once, as their cancellation says", checked: given, problems };
}
