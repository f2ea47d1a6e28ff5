import type { Finding } from "../area.ts";
import type { Deployment } from "../deployment.ts";
import { readBooks } from "./books.ts";
import { checkBookedOnce, checkChargedOnce, checkFinal, checkLedger, checkSupplierAgrees } from "./check-bookings.ts";
import { checkNoneTwice, checkSpent } from "./check-usage.ts";

/** Once everything is settled: our books against the supplier's, where nothing but bookings costs anything. */
export async function auditBookings(deployment: Deployment, supplierUrl: string): Promise<Finding[]> {
  const books = await readBooks(deployment, supplierUrl);
  return [
    checkBookedOnce(books),
    checkSupplierAgrees(books),
    checkChargedOnce(books, []),
    checkFinal(books),
    checkLedger(books),
    checkSpent(books),
    checkNoneTwice(books.usage),
  ];
}
