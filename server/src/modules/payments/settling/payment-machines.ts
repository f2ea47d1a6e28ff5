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
import { gatherPayments } from "./gather-payments.ts";
import { createGatherWindow, type GatherWindow } from "./gather-window.ts";
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
    gather: (chain) => parts.gatherWindows.at(chain)?.open(),
    isTransient: isDatabaseAway,
    pause: (milliseconds) => delay(milliseconds, undefined, { ref: false }),
  });
}

function gather(parts: Parts, chain: ChainKey): () => Promise<unknown> {
  const { stores, clock, submitters, paymentCharges, settings } = parts;
  const submission = submitters.at(chain);
  if (submission === undefined) return async () => undefined;
  const isBatched = settings.paymentBatchWindowMilliseconds > 0;
  const tell = (ids: readonly string[], joined: string) => paymentCharges.tell(ids, joined);
  return () => gatherPayments({ stores, chain, submission, clock, isBatched, tell });
}

/** A facilitator that settles by itself leaves nothing to batch. */
const isGathered = (parts: Parts, chain: ChainKey): boolean => chooseFacilitator(parts, chain)?.settle === undefined;

/** The windows of the chains on which payments are batched. */
export function createGatherWindows(parts: Parts): ByChain<GatherWindow> {
  const { settings, submitters, log } = parts;
  const windowMilliseconds = settings.paymentBatchWindowMilliseconds;
  return mapChains(parts.chains, ({ chain: { key } }) => {
    const submitter = submitters.at(key);
    if (windowMilliseconds <= 0 || submitter === undefined || !isGathered(parts, key)) return undefined;
    return createGatherWindow(windowMilliseconds, { work: gather(parts, key), room: () => submitter.room(), log });
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
    // Usually there is none, which this check finds without a transaction.
    const run = async () => ((await stores.payments.isAnyUngathered(chain)) ? await gather(parts, chain)() : 0);
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
