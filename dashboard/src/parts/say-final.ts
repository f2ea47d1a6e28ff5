import { money, time } from "../format.ts";

/** A consequence of a call that cannot be undone, or only for some time. */
export interface Final {
  what: string;
  undoableUntil: string | null;
  /** Requests of earlier releases do not have these. */
  undo?: string;
  undoCostUsdc?: string | null;
}

/** The order is named above; the rest of the sentence stands for itself, with its time and its amount in place. */
export function sayFinal({ what, undo, undoableUntil, undoCostUsdc }: Final): string {
  const cost = undoCostUsdc == null ? "a fee that is not known yet" : `${money(undoCostUsdc)} USDC`;
  const [, ofFlight] = /^the order, once the first flight has left; until then (.*)$/.exec(what) ?? [];
  if (ofFlight !== undefined) {
    const until = undoableUntil === null ? "the first flight leaves" : time(undoableUntil);
    const rest = ofFlight
      .replace("undoCostUsdc", cost)
      .replace("cancel_order_quote says", "a quote for cancelling says");
    return `Until ${until}, ${rest}.`;
  }
  const [, rest] = /^the order: (.*)$/.exec(what) ?? [];
  const said = rest === undefined ? `Cannot be undone: ${what}` : rest.charAt(0).toUpperCase() + rest.slice(1);
  if (undoableUntil !== null) {
    return `${said}, until ${time(undoableUntil)} it can be undone${undoCostUsdc == null ? "" : ` for ${cost}`}.`;
  }
  return `${said}${undo === "never" || undo === undefined ? "" : " (the supplier has not said whether it can be undone)"}.`;
}
