import type { GetTripsAnswer } from "../answers.ts";
import { money } from "../format.ts";

type Trip = Pick<GetTripsAnswer["trips"][number], "budgetUsdc" | "freeUsdc" | "heldUsdc" | "refundedUsdc">;

/** Where a budget is: the parts add up to it. */
function listParts({ budgetUsdc, freeUsdc, heldUsdc, refundedUsdc }: Trip) {
  const paid = Number(budgetUsdc) - Number(freeUsdc) - Number(heldUsdc) - Number(refundedUsdc);
  return [
    { name: "Paid", kind: "paid", amount: Math.max(0, paid) },
    { name: "Held for bookings", kind: "held", amount: Number(heldUsdc) },
    { name: "Free", kind: "free", amount: Number(freeUsdc) },
    { name: "Returned", kind: "returned", amount: Number(refundedUsdc) },
  ] as const;
}

export function BudgetBar({ trip }: { trip: Trip }) {
  const whole = Number(trip.budgetUsdc);
  const parts = listParts(trip).filter(({ amount }) => amount > 0);
  const words = parts.map(({ name, amount }) => `${name.toLowerCase()} ${money(String(amount))}`).join(", ");
  let from = 0;
  return (
    <svg className="budget-bar" role="img" aria-label={words} preserveAspectRatio="none" viewBox="0 0 100 8">
      {parts.map(({ kind, amount }) => {
        const width = whole === 0 ? 0 : (amount / whole) * 100;
        const at = from;
        from += width;
        return <rect key={kind} className={kind} x={at} y="0" width={Math.max(0, width - 0.5)} height="8" />;
      })}
    </svg>
  );
}

export function BudgetLegend({ trip }: { trip: Trip }) {
  return (
    <ul className="legend">
      {listParts(trip).map(({ name, kind, amount }) => (
        <li key={kind} className={kind}>
          <span className="quiet">{name}</span>
          <span className="amount">{money(String(amount))}</span>
        </li>
      ))}
    </ul>
  );
}
