import { setTimeout as delay } from "node:timers/promises";
import { createX402Facilitator, FacilitatorSetupError } from "./adapters/x402-facilitator/index.ts";
import { type Config, ConfigError } from "./config/config.ts";
import type { RandomBytes } from "./domain/ids.ts";
import { repeat } from "./kernel/repeat.ts";
import type { Stores } from "./kernel/stores.ts";
import { PaymentCharges } from "./modules/payments/charge-by-payment.ts";
import { gatherPayments } from "./modules/payments/gather-payments.ts";
import { createGatherWindow, type GatherWindow } from "./modules/payments/gather-window.ts";
import { sweepPayments } from "./modules/payments/sweep-payments.ts";
import { watchPayments } from "./modules/payments/watch-payments.ts";
import type { Calls } from "./modules/usage/calls.ts";
import type { OpenChain } from "./open-network.ts";
import type { OpenChains } from "./open-ports.ts";
import { isDatabaseAway } from "./platform/database/transient.ts";
import type { HttpClient } from "./platform/http-client/http-client.ts";
import type { Clock } from "./ports/clock.ts";
import type { Facilitator } from "./ports/facilitator.ts";
import type { Environment } from "./ports/identity.ts";
import type { Log } from "./ports/log.ts";
import type { PaidNetwork } from "./surfaces/paid/price-tags.ts";

/** The part of the composition root that takes payments for single calls. */
export interface PaymentParts {
  config: Pick<Config, "networkMode" | "paymentBatchWindowMs" | "x402FacilitatorUrl" | "x402FacilitatorTimeoutMs">;
  chains: OpenChains;
  stores: Stores;
  calls: Pick<Calls, "takeOver">;
  processId: string;
  http: HttpClient;
  clock: Clock;
  random: RandomBytes;
  log: Log;
}

export interface OpenPayments {
  /** The charge of one call that a signed payment pays for. */
  open: PaymentCharges["open"];
  networks: Readonly<Partial<Record<Environment, PaidNetwork>>>;
  /** What brings payments to their end without a caller. What it returns ends it. */
  startJobs(): () => Promise<unknown>;
  /** Resolves when nothing is left to be written down, or that takes too long. */
  idle(): Promise<unknown>;
}

const SWEEP_MILLISECONDS = 2_000;
const WATCH_MILLISECONDS = 2_000;
/** Payments of processes that died before they were put into a transaction. */
const LEFT_OVER_MILLISECONDS = 1_000;
const IDLE_MILLISECONDS = 3_000;
const PRUNE_MILLISECONDS = 600_000;

/** Throws ConfigError when the facilitator that is configured cannot serve this deployment's network. */
export async function openPayments(parts: PaymentParts): Promise<OpenPayments> {
  const { config, chains, stores, calls, processId, clock, random, log } = parts;
  const batchWindowMs = config.paymentBatchWindowMs;
  const outside = await openFacilitator(parts);
  const facilitatorFor = (environment: Environment): Facilitator | undefined =>
    outside?.network === environment ? outside : chains[environment]?.facilitator;
  const windows = new Map<Environment, GatherWindow>();
  const charges = new PaymentCharges({
    ...{ stores, calls, processId, clock, random, log, batchWindowMs, facilitatorFor },
    submissionFor: (environment) => chains[environment]?.submitter,
    outcomesFor: (environment) => chains[environment]?.outcomes,
    gather: (environment) => windows.get(environment)?.open(),
    isTransient: isDatabaseAway,
    pause: (milliseconds) => delay(milliseconds, undefined, { ref: false }),
  });
  const { payments } = stores;

  function startJobsOf(network: Environment, { outcomes, submitter }: OpenChain, facilitator: Facilitator) {
    const shared = { stores, network, submission: submitter, tell: (ids: readonly string[]) => charges.tell(ids) };
    const watch = () => watchPayments({ ...shared, facilitator, outcomes, log });
    const watching = repeat(`watch-payments ${network}`, WATCH_MILLISECONDS, watch, log);
    // A facilitator that settles by itself leaves nothing to gather.
    if (facilitator.settle !== undefined) return [watching];
    const isBatched = batchWindowMs > 0;
    const gather = () => gatherPayments({ ...shared, clock, isBatched });
    const leftOvers = repeat(`gather-payments ${network}`, LEFT_OVER_MILLISECONDS, gather, log);
    if (!isBatched) return [watching, leftOvers];
    const window = createGatherWindow(batchWindowMs, { work: gather, room: submitter.room, log });
    windows.set(network, window);
    return [watching, leftOvers, window.stop];
  }

  return {
    open: (request) => charges.open(request),
    networks: paidNetworksOf(chains),
    startJobs() {
      const jobs = [
        repeat("sweep-payments", SWEEP_MILLISECONDS, () => sweepPayments({ payments, processId, log }), log),
        repeat("prune-payments", PRUNE_MILLISECONDS, () => payments.prune(clock.now()), log),
      ];
      for (const network of ["sandbox", "production"] as const) {
        const chain = chains[network];
        const facilitator = facilitatorFor(network);
        if (chain !== undefined && facilitator !== undefined) jobs.push(...startJobsOf(network, chain, facilitator));
      }
      return () => Promise.all(jobs.map((stop) => stop()));
    },
    idle: () => Promise.race([charges.idle(), delay(IDLE_MILLISECONDS, undefined, { ref: false })]),
  };
}

async function openFacilitator({ config, chains, http }: PaymentParts): Promise<Facilitator | undefined> {
  const { networkMode: environment, x402FacilitatorUrl: url, x402FacilitatorTimeoutMs: timeoutMs } = config;
  const chain = chains[environment];
  if (url === undefined || chain === undefined) return undefined;
  try {
    const { network } = paidNetworkOf(chain);
    return await createX402Facilitator({ url, http, environment, network, timeoutMs });
  } catch (error) {
    if (error instanceof FacilitatorSetupError) throw new ConfigError(`Not started: ${error.message}`);
    throw error;
  }
}

/** Payments go into the collection wallet of each network. */
function paidNetworksOf({ sandbox, production }: OpenChains): OpenPayments["networks"] {
  return {
    ...(sandbox === undefined ? {} : { sandbox: paidNetworkOf(sandbox) }),
    ...(production === undefined ? {} : { production: paidNetworkOf(production) }),
  };
}

function paidNetworkOf({ chain, collection }: OpenChain): PaidNetwork {
  const { address, name, version } = chain.tokens.USDC;
  return {
    network: `eip155:${chain.chainId}`,
    asset: address,
    payTo: collection.address,
    extra: { name, version },
  };
}
