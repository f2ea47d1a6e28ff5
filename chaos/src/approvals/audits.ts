import type { Finding } from "../area.ts";
import { readBooks, readUsage } from "../calls/books.ts";
import { checkLedger } from "../calls/check-bookings.ts";
import { checkAcknowledged, checkNoneTwice, checkSigned, checkSpent } from "../calls/check-usage.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { Deployment } from "../deployment.ts";
import type { History } from "../history.ts";
import { readBookings, readSupplier } from "../servicing/books.ts";
import { checkOnce, paidOrders } from "../servicing/check-effects.ts";
import { readApprovalBooks } from "./books.ts";
import { checkApprovalsRunning, checkApprovalsSettled, type Effect, type Facts } from "./check-books.ts";
import type { Desk } from "./desk.ts";
import type { ApprovalStorm } from "./storm.ts";

interface Audited {
  deployment: Deployment;
  history: History;
  storm: ApprovalStorm;
  desk: Desk;
  view: ChainView;
  supplierUrl: string;
}

/** Our books of approvals against the supplier's ledger, the chain and what people were told. */
export class Audits {
  readonly #audited: Audited;

  constructor(audited: Audited) {
    this.#audited = audited;
  }

  async running(budget: Budgeted): Promise<Finding[]> {
    return [...checkApprovalsRunning(await this.#readFacts(budget)), ...(await this.#checkCalls())];
  }

  async settled(budget: Budgeted): Promise<Finding[]> {
    const { deployment, history, supplierUrl } = this.#audited;
    const calls = await readBooks(deployment, supplierUrl);
    return [
      ...checkApprovalsSettled(await this.#readFacts(budget)),
      ...(await this.#checkCalls()),
      checkSigned(history.acknowledgements),
      checkSpent(calls),
      checkLedger(calls),
    ];
  }

  async #checkCalls(): Promise<Finding[]> {
    const { deployment, history, supplierUrl } = this.#audited;
    // Before the books are read: what is answered meanwhile may not be in them.
    const answers = [...history.acknowledgements];
    const usage = await readUsage(deployment);
    const supplier = await readSupplier(supplierUrl);
    return [
      checkOnce(supplier, await readBookings(deployment)),
      checkAcknowledged(answers, usage),
      checkNoneTwice(usage),
    ];
  }

  /** Effects outside are read first: our books knew of them before. */
  async #readFacts({ budgetId, ...budget }: Budgeted): Promise<Facts> {
    const { deployment, storm, desk, view, supplierUrl } = this.#audited;
    const booked: Effect[] = paidOrders(await readSupplier(supplierUrl)).map((order) => ({
      subject: order.offer_id,
      amount: order.total_amount,
    }));
    const sent: Effect[] = (await view.transfers()).map(({ to, amount }) => ({ subject: to, amount }));
    const told = [...desk.told];
    const { wishes, subjects } = storm;
    return {
      wishes,
      subjects,
      told,
      budget,
      effects: [...booked, ...sent].filter(({ subject }) => wishes.has(subject)),
      books: await readApprovalBooks(deployment, budgetId),
    };
  }
}

type Budgeted = Facts["budget"] & { budgetId: string };
