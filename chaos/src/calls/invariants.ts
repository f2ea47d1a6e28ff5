import type { Finding } from "../area.ts";
import type { Acknowledgement } from "../history.ts";
import type { Books } from "./books.ts";
import {
  checkAcknowledgedBookings,
  checkBalance,
  checkBookedOnce,
  checkChargedOnce,
  checkFinal,
  checkLedger,
  checkSupplierAgrees,
} from "./check-bookings.ts";
import { checkAcknowledged, checkNoneTwice, checkOneAnswerPerKey, checkSigned, checkSpent } from "./check-usage.ts";

/** Holds at any moment, kills or not. `answers` must be taken before the records are read. */
export function checkRunning(answers: readonly Acknowledgement[], usage: Books["usage"]): Finding[] {
  return [checkAcknowledged(answers, usage), checkNoneTwice(usage)];
}

export function checkUsage(answers: readonly Acknowledgement[], books: Books): Finding[] {
  return [
    ...checkRunning(answers, books.usage),
    checkOneAnswerPerKey(answers),
    checkSigned(answers),
    checkSpent(books),
  ];
}

export function checkBookings(answers: readonly Acknowledgement[], books: Books): Finding[] {
  return [
    checkAcknowledgedBookings(answers, books),
    checkBookedOnce(books),
    checkChargedOnce(books, answers),
    checkSupplierAgrees(books),
    checkFinal(books),
  ];
}

/** Holds once everything has ended. */
export function checkSettled(answers: readonly Acknowledgement[], books: Books): Finding[] {
  return [...checkUsage(answers, books), ...checkBookings(answers, books), checkLedger(books), checkBalance(books)];
}
