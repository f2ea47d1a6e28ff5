import { z } from "zod";
import type { Finding } from "../area.ts";
import type { Acknowledgement } from "../history.ts";
import type { Books } from "./books.ts";
import { findRepeated } from "./check-usage.ts";

const BookingAnswer = z.object({ bookingId: z.string(), orderId: z.string(), pnr: z.string(), offerId: z.string() });

const FINAL = new Set(["booked", "failed"]);
/** States of an order that the supplier keeps and was paid for. */
const PAID = "paid";
/** States of an order that nobody pays for any more. */
const DEAD = new Set(["cancelled", "lapsed"]);

export function checkAcknowledgedBookings(acknowledged: readonly Acknowledgement[], books: Books): Finding {
  const orders = new Map(books.supplier.orders.map((order) => [order.id, order]));
  const answers = acknowledged.filter(({ tool }) => tool === "book_flight");
  const problems: string[] = [];
  const firstBy = new Map<string, string>();
  for (const { result, args, key, userId } of answers) {
    const read = BookingAnswer.safeParse(result);
    if (!read.success) {
      problems.push(`the booking of ${String(args.offerId)} was answered without its order`);
      continue;
    }
    const { orderId, pnr, offerId } = read.data;
    const order = orders.get(orderId);
    if (order === undefined) problems.push(`the supplier has no order ${orderId} (${pnr})`);
    else if (order.state !== PAID) problems.push(`order ${orderId} (${pnr}) is ${order.state} at the supplier`);
    else if (order.booking_reference !== pnr)
      problems.push(`${orderId} is ${order.booking_reference}, answered ${pnr}`);
    if (offerId !== args.offerId) problems.push(`asked for ${String(args.offerId)}, answered ${offerId}`);
    const names = [
      `offer ${offerId}`,
      ...(key === undefined ? [] : [`key ${key} of ${userId ?? "the service account"}`]),
    ];
    for (const name of names) {
      const first = firstBy.get(name) ?? pnr;
      if (first !== pnr) problems.push(`${name} was answered ${first} and ${pnr}`);
      firstBy.set(name, first);
    }
  }
  return {
    invariant: "acknowledged bookings are paid orders at the supplier; a key and an offer always got the same one",
    checked: answers.length,
    problems,
  };
}

export function checkBookedOnce({ bookings, supplier }: Books): Finding {
  const tenants = new Map(bookings.map(({ id, tenant_id }) => [id, tenant_id]));
  const findTenant = (order: Books["supplier"]["orders"][number]) =>
    tenants.get(order.metadata.booking_id ?? "") ?? "nobody";
  const living = supplier.orders.filter(({ state }) => !DEAD.has(state));
  const problems = [
    ...findRepeated(living, ({ metadata }) => `a living order of booking ${metadata.booking_id}`),
    ...findRepeated(
      supplier.orders.filter(({ state }) => state === PAID),
      (order) => `a paid order of offer ${order.offer_id} for ${findTenant(order)}`,
    ),
    ...findRepeated(supplier.payments, ({ order_id }) => `a payment of order ${order_id}`),
  ];
  return {
    invariant: "no offer was ordered or paid twice",
    onlyAlone: true,
    checked: supplier.orders.length,
    problems,
  };
}

export function checkSupplierAgrees({ bookings, supplier }: Books): Finding {
  const problems: string[] = [];
  const ours = new Map(bookings.map((booking) => [booking.id, booking]));
  const paid = new Map<string, bigint>();
  for (const { order_id, amount, status } of supplier.payments) {
    if (status !== "failed") paid.set(order_id, (paid.get(order_id) ?? 0n) + amount);
  }
  for (const order of supplier.orders) {
    const booking = ours.get(order.metadata.booking_id ?? "");
    const amount = paid.get(order.id);
    if (booking === undefined) problems.push(`order ${order.id} (${order.state}) belongs to no booking of ours`);
    else if (order.state === PAID) {
      if (booking.state !== "booked" || booking.order_id !== order.id)
        problems.push(`order ${order.id} is paid, booking ${booking.id} is ${booking.state} with ${booking.order_id}`);
      if (amount !== booking.total_amount || amount !== order.total_amount)
        problems.push(`order ${order.id} was paid with ${amount}, booking ${booking.id} says ${booking.total_amount}`);
    } else {
      if (amount !== undefined) problems.push(`order ${order.id} is ${order.state} and was paid with ${amount}`);
      if (booking.state !== "failed" && !DEAD.has(order.state))
        problems.push(`order ${order.id} is unpaid, booking ${booking.id} is ${booking.state}`);
    }
  }
  const paidOrders = new Set(supplier.orders.filter(({ state }) => state === PAID).map(({ id }) => id));
  for (const booking of bookings) {
    if (booking.state === "booked" && !paidOrders.has(booking.order_id ?? ""))
      problems.push(`booking ${booking.id} is booked, and the supplier has no paid order ${booking.order_id}`);
  }
  return {
    invariant: "the supplier's ledger equals ours, both ways",
    onlyAlone: true,
    checked: supplier.orders.length,
    problems,
  };
}

/** Double entry: every set of accounts and every posting is in balance, and nothing is on its way any more. */
export function checkLedger({ accounts, transactions }: Pick<Books, "accounts" | "transactions">): Finding {
  const problems: string[] = [];
  for (const token of new Set(accounts.map((account) => account.token))) {
    const total = sumBalances(accounts, (account) => account.token === token);
    if (total !== 0n) problems.push(`all accounts of ${token} together are ${total}, not 0`);
  }
  for (const { id, balance, entries } of accounts) {
    if (balance !== entries) problems.push(`account ${id} is ${balance}, its entries are ${entries}`);
  }
  for (const { reference, sum: rest } of transactions) {
    if (rest !== 0n) problems.push(`transaction ${reference} is off by ${rest}`);
  }
  for (const { id, kind, balance } of accounts) {
    if (ON_ITS_WAY.has(kind) && balance !== 0n) problems.push(`${balance} are left in ${id}`);
  }
  return {
    invariant: "the books add up to zero, and nothing is held or on its way",
    checked: transactions.length,
    problems,
  };
}

/** Where money only is until the outcome is known. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(["held", "outgoing", "collection_outgoing"]);

/** Every booking was paid from a treasury, by as much as the supplier was. */
export function checkBalance({ accounts, bookings, deposited, supplier }: Books): Finding {
  const problems: string[] = [];
  const [prefunded, collection] = ["prefunded", "collection"].map((kind) =>
    sumBalances(accounts, (account) => account.kind === kind && account.token === "USDC"),
  );
  const booked = sum(bookings.filter(({ state }) => state === "booked").map(({ total_amount }) => total_amount));
  if (prefunded !== deposited - booked) {
    problems.push(`the prefunded balance is ${prefunded}, deposits less bookings are ${deposited - booked}`);
  }
  const payments = sum(supplier.payments.filter(({ status }) => status !== "failed").map(({ amount }) => amount));
  const refunds = sum(supplier.refunds.map(({ amount }) => amount));
  if (collection !== payments - refunds) {
    problems.push(`collected ${collection}, the supplier was paid ${payments} and gave back ${refunds}`);
  }
  return {
    invariant: "the treasuries were charged for the bookings, and the supplier was paid as much",
    onlyAlone: true,
    checked: bookings.length,
    problems,
  };
}

/** A booking is charged for at most once, whoever asked for it how often. */
export function checkChargedOnce({ usage, bookings }: Books, acknowledged: readonly Acknowledgement[]): Finding {
  const records = usage.filter(({ tool }) => tool === "book_flight");
  const booked = bookings.filter(({ state }) => state === "booked");
  const problems: string[] = [];
  if (records.length > booked.length) problems.push(`${records.length} charges for ${booked.length} bookings`);
  const meters = acknowledged.flatMap(({ tool, meterId, args }) =>
    tool === "book_flight" && meterId !== undefined ? [{ meterId, offerId: String(args.offerId) }] : [],
  );
  const distinct = new Map(meters.map(({ meterId, offerId }) => [`${offerId} ${meterId}`, offerId]));
  problems.push(...findRepeated([...distinct.values()], (offerId) => `a charge for offer ${offerId}`));
  return { invariant: "no booking is charged for twice", checked: records.length, problems };
}

export function checkFinal({ bookings }: Books): Finding {
  const problems = bookings.filter(({ state }) => !FINAL.has(state)).map(({ id, state }) => `${id} is ${state}`);
  return { invariant: "every booking came to its end", checked: bookings.length, problems };
}

function sumBalances(accounts: Books["accounts"], isMeant: (account: Books["accounts"][number]) => boolean): bigint {
  return sum(accounts.filter(isMeant).map(({ balance }) => balance));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
