import { setTimeout as delay } from "node:timers/promises";
import { defineJob, type Job } from "../../../kernel/contracts/job.ts";
import type { Measured } from "../../../kernel/contracts/measured.ts";
import type { Gauge } from "../../../kernel/contracts/module.ts";
import { type ByEnvironment, listEnvironments } from "../../../kernel/contracts/parts.ts";
import { isDatabaseAway } from "../../../platform/database/transient.ts";
import type { Facilitator } from "../../../ports/facilitator.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Parts } from "../context.ts";
import { PaymentCharges } from "../paying/charge-by-payment.ts";
import type { Payments } from "../payments.ts";
import { gatherPayments } from "./gather-payments.ts";
import { createGatherWindow, type GatherWindow } from "./gather-window.ts";
import { watchPayments } from "./watch-payments.ts";

const WATCH_MILLISECONDS = 2_000;
/** Earned payments of dead processes are picked up after this time. */
const LEFT_OVER_MILLISECONDS = 1_000;

function chooseFacilitator({ facilitator, chains }: Parts, environment: Environment): Facilitator | undefined {
  return facilitator?.environment === environment ? facilitator : chains[environment]?.verifier;
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
    facilitatorFor: (environment) => chooseFacilitator(parts, environment),
    isSignedByPayer: (environment, payment) => chains[environment]?.verifier.isSignedByPayer(payment) ?? false,
    submissionFor: (environment) => submitters[environment],
    outcomesFor: (environment) => chains[environment]?.outcomes,
    gather: (environment) => parts.gatherWindows[environment]?.open(),
    isTransient: isDatabaseAway,
    pause: (milliseconds) => delay(milliseconds, undefined, { ref: false }),
  });
}

function gather(parts: Parts, environment: Environment): () => Promise<unknown> {
  const { stores, clock, submitters, paymentCharges, settings } = parts;
  const submission = submitters[environment];
  const chain = parts.chains[environment]?.chain.key;
  if (submission === undefined || chain === undefined) return async () => undefined;
  const isBatched = settings.paymentBatchWindowMilliseconds > 0;
  const tell = (ids: readonly string[], joined: string) => paymentCharges.tell(ids, joined);
  return () => gatherPayments({ stores, chain, submission, clock, isBatched, tell });
}

/** A facilitator that settles by itself leaves nothing to batch. */
const isGathered = (parts: Parts, environment: Environment): boolean =>
  chooseFacilitator(parts, environment)?.settle === undefined;

/** The windows of the environments in which payments are batched. */
export function createGatherWindows(parts: Parts): ByEnvironment<GatherWindow> {
  const { settings, submitters, log } = parts;
  const windowMilliseconds = settings.paymentBatchWindowMilliseconds;
  if (windowMilliseconds <= 0) return {};
  const windows: { -readonly [Name in Environment]?: GatherWindow } = {};
  for (const [environment, submitter] of listEnvironments(submitters)) {
    if (!isGathered(parts, environment)) continue;
    windows[environment] = createGatherWindow(windowMilliseconds, {
      work: gather(parts, environment),
      room: () => submitter.room(),
      log,
    });
  }
  return windows;
}

/** The jobs that finish payments without a caller, for each environment. */
export function paymentJobs(parts: Parts): readonly Job[] {
  const { stores, log, paymentCharges } = parts;
  return listEnvironments(parts.chains).flatMap(([environment, { outcomes, chain }]) => {
    const submission = parts.submitters[environment];
    const facilitator = chooseFacilitator(parts, environment);
    if (submission === undefined || facilitator === undefined) return [];
    const tell = (ids: readonly string[]) => paymentCharges.tell(ids);
    const shared = { stores, chain: chain.key, submission, tell };
    const watching = defineJob({
      name: `watch-payments ${environment}`,
      everyMilliseconds: WATCH_MILLISECONDS,
      run: () => watchPayments({ ...shared, facilitator, outcomes, log }),
    });
    if (!isGathered(parts, environment)) return [watching];
    const gatherAll = gather(parts, environment);
    // Usually there is none, which this check finds without a transaction.
    const run = async () => ((await stores.payments.isAnyUngathered(chain.key)) ? await gatherAll() : 0);
    return [
      watching,
      defineJob({ name: `gather-payments ${environment}`, everyMilliseconds: LEFT_OVER_MILLISECONDS, run }),
    ];
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
