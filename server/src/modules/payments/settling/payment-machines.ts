import { setTimeout as delay } from "node:timers/promises";
import { type ByChain, isSameChain, mapChains, nameChain } from "../../../kernel/contracts/by-chain.ts";
import { defineJob, type Job } from "../../../kernel/contracts/job.ts";
import type { Measured } from "../../../kernel/contracts/measured.ts";
import type { Gauge } from "../../../kernel/contracts/module.ts";
import { isDatabaseAway } from "../../../platform/database/transient.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { Facilitator } from "../../../ports/facilitator.ts";
import type { Parts } from "../context.ts";
import { PaymentCharges } from "../paying/charge-by-payment.ts";
import type { Payments } from "../payments.ts";
import { type GatherPaymentsOptions, gatherEarned, gatherPayments } from "./gather-payments.ts";
import { createGatherWindow, type GatherWindow } from "./gather-window.ts";
import type { Settleable } from "./payment-intents.ts";
import { ungatheredPayments, watchedPayments } from "./store-queues.ts";
import { WATCH_SECONDS, watchPayments } from "./watch-payments.ts";

function chooseFacilitator({ facilitator, chains }: Parts, chain: ChainKey): Facilitator | undefined {
  return facilitator !== undefined && isSameChain(facilitator.chain, chain) ? facilitator : chains.at(chain)?.verifier;
}

/** Makes the charges of calls that carry their own payment. */
export function createCharges(parts: Parts): PaymentCharges {
  const { stores, calls, processId, clock, random, log, chains, submitters, settings } = parts;
  return new PaymentCharges({
    stores,
    calls,
    processId,
    clock,
    random,
    log,
    batchWindowMilliseconds: settings.paymentBatchWindowMilliseconds,
    facilitatorFor: (chain) => chooseFacilitator(parts, chain),
    isSignedByPayer: (chain, payment) => chains.at(chain)?.verifier.isSignedByPayer(payment) ?? false,
    submissionFor: (chain) => submitters.at(chain),
    outcomesFor: (chain) => chains.at(chain)?.outcomes,
    gather: (chain, earned) => parts.gatherWindows.at(chain)?.add(earned),
    isTransient: isDatabaseAway,
    pause: (milliseconds) => delay(milliseconds, undefined, { ref: false }),
  });
}

/** Undefined: the chain is not open. */
function gatheringOptions(parts: Parts, chain: ChainKey): GatherPaymentsOptions | undefined {
  const { stores, clock, submitters, paymentCharges, settings } = parts;
  const submission = submitters.at(chain);
  if (submission === undefined) return undefined;
  const isBatched = settings.paymentBatchWindowMilliseconds > 0;
  const tell = (ids: readonly string[], joined: string) => paymentCharges.tell(ids, joined);
  return { stores, chain, submission, clock, isBatched, tell };
}

/** Usually there is nothing to gather, which the check finds without a transaction. */
async function gatherLeft(parts: Parts, chain: ChainKey): Promise<number> {
  const options = gatheringOptions(parts, chain);
  if (options === undefined || !(await parts.stores.payments.isAnyUngathered(chain))) return 0;
  return await gatherPayments(options);
}

/** A facilitator that settles by itself leaves nothing to batch. */
const isGathered = (parts: Parts, chain: ChainKey): boolean => chooseFacilitator(parts, chain)?.settle === undefined;

/** The windows of the chains on which payments are batched. */
export function createGatherWindows(parts: Parts): ByChain<GatherWindow<Settleable>> {
  const { settings, submitters, log } = parts;
  const windowMilliseconds = settings.paymentBatchWindowMilliseconds;
  return mapChains(parts.chains, ({ chain: { key } }) => {
    const submitter = submitters.at(key);
    if (windowMilliseconds <= 0 || submitter === undefined || !isGathered(parts, key)) return undefined;
    return createGatherWindow<Settleable>(windowMilliseconds, {
      async work(earned) {
        const options = gatheringOptions(parts, key);
        if (options !== undefined) await gatherEarned(options, earned);
      },
      room: () => submitter.room(),
      log,
    });
  });
}

/** The jobs that finish payments without a caller, for each chain. */
export function paymentJobs(parts: Parts): readonly Job[] {
  const { stores, log, chains, submitters, paymentCharges } = parts;
  return chains.keys.flatMap((chain) => {
    const name = nameChain(chains, chain);
    const watching = defineJob({
      name: `watch-payments ${name}`,
      queue: watchedPayments(chain, WATCH_SECONDS, chooseFacilitator(parts, chain)?.settle !== undefined),
      async run() {
        const submission = submitters.at(chain);
        const facilitator = chooseFacilitator(parts, chain);
        const outcomes = chains.at(chain)?.outcomes;
        if (submission === undefined || facilitator === undefined || outcomes === undefined) return;
        const tell = (ids: readonly string[]) => paymentCharges.tell(ids);
        await watchPayments({ stores, chain, submission, tell, facilitator, outcomes, log });
      },
    });
    if (!isGathered(parts, chain)) return [watching];
    const run = () => gatherLeft(parts, chain);
    return [watching, defineJob({ name: `gather-payments ${name}`, queue: ungatheredPayments(chain), run })];
  });
}

/** Measures completed calls whose payment could not be settled. */
export function receivablesGauge(
  receivables: MeasuredReceivables,
  { name, help }: Pick<Gauge, "name" | "help">,
  read: (found: { count: number; amount: bigint }) => number,
): Gauge {
  return {
    name,
    help,
    labelNames: ["network"],
    read: () =>
      (receivables.latest() ?? []).map((found) => ({ labels: { network: found.environment }, value: read(found) })),
  };
}

export type MeasuredReceivables = Measured<Awaited<ReturnType<Payments["receivables"]>>>;
