import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { ServicingBooks } from "../servicing/books.ts";
import { isConfirmed, paidOrders } from "../servicing/check-effects.ts";
import type { DisruptionBooks, readAirlineChanges, readSeats } from "./books.ts";
import type { Passenger } from "./passengers.ts";

export interface Facts {
  readonly passengers: readonly Passenger[];
  readonly books: DisruptionBooks;
  readonly changes: Awaited<ReturnType<typeof readAirlineChanges>>;
  readonly seats: Awaited<ReturnType<typeof readSeats>>;
  /** By address, the ids of the mails that the mail server has accepted, each as often as it came. */
  readonly mails: ReadonlyMap<string, readonly string[]>;
  /** Orders that the travelers bought themselves afterwards. */
  readonly bought: ReadonlySet<string>;
  /** How often the service was killed: each kill may repeat the mails that were on their way. */
  readonly kills: number;
}

/** At any moment. */
export function checkOneRun({ books: { runs } }: Facts): Finding {
  const problems = [
    ...findRepeated(runs, ({ tenant_id, change_id }) => `a run for ${change_id} of ${tenant_id}`),
    ...runs.filter(({ pauses }) => pauses > 1).map(({ id, pauses }) => `${id} asked ${pauses} times`),
  ];
  return {
    invariant: "every change by the airline has one run, which asks for one decision",
    checked: runs.length,
    problems,
  };
}

/** At any moment. */
export function checkSeats({ seats }: Pick<Facts, "seats">): Finding {
  return {
    invariant: "no seat is sold twice",
    checked: seats.length,
    problems: findRepeated(seats, ({ flight, seat }) => `seat ${seat} on ${flight}`),
  };
}

/** At any moment: nobody but the travelers themselves bought or changed anything. */
export function checkNothingSpent(
  { passengers, bought }: Facts,
  { actions, supplier }: Pick<ServicingBooks, "actions" | "supplier">,
): Finding {
  const known = new Set([...passengers.map(({ orderId }) => orderId), ...bought]);
  const orders = paidOrders(supplier);
  const problems = [
    ...orders.filter(({ id }) => !known.has(id)).map(({ id }) => `nobody asked for order ${id}`),
    ...actions
      .filter(({ charged }) => charged > 0n)
      .map(({ id, kind, charged }) => `${kind} ${id} cost ${charged}, and nobody approved it`),
    ...findRepeated(
      supplier.payments.filter(({ status }) => status === "succeeded"),
      ({ order_id }) => `a payment of order ${order_id}`,
    ),
  ];
  return {
    invariant: "nothing is spent beyond what the airline owes, unless the traveler buys it",
    checked: orders.length,
    problems,
  };
}

/** At any moment: an order is given back for its whole price in money, and never for less. */
export function checkGivenBack({ supplier }: Pick<ServicingBooks, "supplier">): Finding {
  const totals = new Map(supplier.orders.map(({ id, total_amount }) => [id, total_amount]));
  const given = supplier.cancellations.filter(isConfirmed);
  const problems = given.flatMap(({ order_id, refund_amount }) => {
    const total = totals.get(order_id);
    return total === refund_amount ? [] : [`${order_id} cost ${total} and was given back for ${refund_amount}`];
  });
  return { invariant: "an order is given back only for its whole price in money", checked: given.length, problems };
}

/** Once everything is settled. */
export function checkEverybodyIsHelped({ passengers, books, changes, mails }: Facts): Finding {
  const runs = Map.groupBy(books.runs, ({ order_id }) => order_id);
  const problems = passengers.flatMap(({ tenantId, userId, email, orderId }) => {
    const name = `${userId} of ${tenantId} (${orderId})`;
    const own = changes.filter(({ order_id }) => order_id === orderId);
    const told = books.messages.filter((one) => one.tenant_id === tenantId && one.user_id === userId);
    const unsent = told.filter(({ state }) => state !== "sent");
    const helped = (runs.get(orderId) ?? []).filter(({ session_id, end }) => session_id !== null || end !== null);
    return [
      ...(own.length === 0 ? [`the airline did not change the flights of ${name}`] : []),
      ...(told.length === 0 ? [`${name} was not written to`] : []),
      ...unsent.map(({ state }) => `the mail to ${name} is ${state}`),
      ...(mails.get(email)?.length ? [] : [`the mail server has nothing for ${name}`]),
      ...(helped.length < own.length ? [`${name} has ${helped.length} decisions about ${own.length} changes`] : []),
    ];
  });
  return {
    invariant: "every traveler was told, and is protected or holds a decision",
    checked: passengers.length,
    problems,
  };
}

/** Mail has no look-up: a mail whose acceptance a kill has cut off may come once more, with the same id. */
export function checkMailedOnce({ passengers, books, mails, kills }: Facts): Finding {
  let repeated = 0;
  const problems = passengers.flatMap(({ tenantId, userId, email }) => {
    const ids = mails.get(email) ?? [];
    const told = books.messages.filter((one) => one.tenant_id === tenantId && one.user_id === userId).length;
    const distinct = new Set(ids).size;
    repeated += ids.length - distinct;
    return [
      ...(distinct > told ? [`${email} got ${distinct} mails for ${told} messages of ours`] : []),
      ...findRepeated(ids, (id) => `mail ${id} to ${email}`).filter((text) => Number.parseInt(text, 10) > kills + 1),
    ];
  });
  return {
    invariant: `every mail came once, or once more for each kill (${repeated} came again)`,
    checked: passengers.length,
    problems,
  };
}
