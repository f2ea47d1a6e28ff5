import { type MailServer, startMailServer } from "../../../server/test/support/mail-server.ts";
import { type Area, type AreaRun, type Finding, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { readBooks, readOpenMatters } from "../calls/books.ts";
import { checkLedger } from "../calls/check-bookings.ts";
import { checkNoneTwice, checkSpent } from "../calls/check-usage.ts";
import { readUnreadBlocks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { createRandom } from "../random.ts";
import { readBookings, readServicingBooks, readSupplier } from "../servicing/books.ts";
import { checkActions, checkFinal, checkMoney, checkOrders, checkPurses } from "../servicing/check-books.ts";
import { checkOnce } from "../servicing/check-effects.ts";
import { readAirlineChanges, readDisruptionBooks, readOpenWork, readSeats } from "./books.ts";
import {
  checkEverybodyIsHelped,
  checkGivenBack,
  checkMailedOnce,
  checkNothingSpent,
  checkOneRun,
  checkSeats,
  type Facts,
} from "./check-books.ts";
import { Closure } from "./closure.ts";
import { bookPassengers } from "./passengers.ts";

const PASSENGERS = 500;
const MOST_SECONDS = 120;
const OPENING_USDC = 10_000_000n;
const MICRO = 1_000_000n;
/** The kill comes when so many travelers are helped, at least and at most. */
const KILL_BETWEEN = [25, 300] as const;

let server: MailServer | undefined;

/** By address, the ids of the mails that were accepted. */
function groupMails(): ReadonlyMap<string, readonly string[]> {
  const mails = new Map<string, string[]>();
  for (const { to, parsed } of server?.received ?? []) {
    for (const address of to) mails.set(address, [...(mails.get(address) ?? []), parsed.messageId ?? ""]);
  }
  return mails;
}

async function open({ deployment, history }: Scene): Promise<AreaRun> {
  const quickstart = deployment.quickstart();
  const { supplierUrl } = quickstart;
  const view = createChainView(quickstart.chain);
  const tenants = await prepareTenants(deployment, history, ["Chaos two", "Chaos three"]);
  const today = Temporal.Now.plainDateISO("UTC");
  const begun = performance.now();
  const passengers = await bookPassengers(tenants, PASSENGERS, { random: createRandom("passengers"), today });
  const bookedIn = Math.round((performance.now() - begun) / 1_000);
  const closure = new Closure({ deployment, history, supplierUrl, passengers, listMails: groupMails });
  let kills = 0;
  let caught = 0;

  async function readFacts(): Promise<Facts> {
    const [changes, seats] = [await readAirlineChanges(deployment), await readSeats(deployment)];
    const books = await readDisruptionBooks(deployment);
    const { bought } = closure;
    return { passengers, books, changes, seats, mails: groupMails(), bought, kills };
  }

  async function audit(phase: "running" | "settled"): Promise<Finding[]> {
    const supplier = await readSupplier(supplierUrl);
    const facts = await readFacts();
    const running = [
      checkOneRun(facts),
      checkSeats(facts),
      checkGivenBack({ supplier }),
      checkOnce(supplier, await readBookings(deployment)),
    ];
    if (phase === "running") return running;
    const books = await readServicingBooks(deployment, supplierUrl);
    const calls = await readBooks(deployment, supplierUrl);
    return [
      ...running,
      checkInTime(closure.seconds),
      checkEverybodyIsHelped(facts),
      checkMailedOnce(facts),
      checkNothingSpent(facts, books),
      checkFinal(books),
      checkOrders(books),
      checkActions(books),
      checkMoney(books),
      checkPurses(books, OPENING_USDC * MICRO),
      checkLedger(calls),
      checkSpent(calls),
      checkNoneTwice(calls.usage),
    ];
  }

  return {
    storm: (round, random) => closure.run(round, random),
    disturb: (random) => closure.untilHelped(random.between(...KILL_BETWEEN)),
    async witness() {
      kills += 1;
      caught = closure.helped;
    },
    notes: () => [
      `passengers    ${passengers.length}, booked in ${bookedIn} s; the last was told and held a decision after ${list(closure.seconds)} s, with ${list(closure.cpuSeconds)} s of CPU time in all processes`,
      `caught        the last kill came when ${caught} were told; ${closure.bought.size} bought another flight`,
    ],
    openMatters: async () => [
      ...(await readOpenWork(deployment)),
      ...(await readOpenMatters(deployment)),
      ...(await readUnreadBlocks(deployment, await view.tip())),
    ],
    askAgain: async () => undefined,
    audit,
  };
}

const list = (seconds: readonly number[]): string => seconds.map((one) => one.toFixed(1)).join(" and ");

function checkInTime(seconds: readonly number[]): Finding {
  return {
    invariant: `the last traveler is told and holds a decision within ${MOST_SECONDS} s`,
    checked: seconds.length,
    problems: seconds.filter((one) => one > MOST_SECONDS).map((one) => `it took ${one.toFixed(1)} s`),
  };
}

export const disruption: Area = {
  name: "disruption",
  summary: `An airport closes under ${PASSENGERS} travelers: each is told and holds a decision in time, no seat is sold twice, and nothing is spent without approval.`,
  parts: [],
  guards: ["one-run", "whole-refund"],
  environment: {
    ...UNLIMITED_CALLS,
    SANDBOX_BALANCE_USDC: String(OPENING_USDC),
    MAILS_PER_TENANT_DAY: "1000000",
    MAILS_PER_RECIPIENT_DAY: "1000",
  },
  async startOutside() {
    const started = await startMailServer();
    server = started;
    return {
      environment: { SMTP_URL: `${started.url}?tls=optional`, MAIL_FROM: "trips@wayfare.example" },
      close: () => started[Symbol.asyncDispose](),
    };
  },
  open,
};
