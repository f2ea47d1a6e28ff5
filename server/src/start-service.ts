import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { createVault } from "./adapters/vault.ts";
import type { Config } from "./config/config.ts";
import { createGates, createStores, migrations, registry } from "./contributions.ts";
import type { Decorators } from "./decorate.ts";
import { CHAIN_AWAY, chainAway, databaseAway, Failure } from "./domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "./domain/ids.ts";
import { readMasterKey } from "./embedded/master-key.ts";
import { startEmbedded } from "./embedded/start-embedded.ts";
import { createCatalog } from "./kernel/catalog.ts";
import { createKernel } from "./kernel/invoke.ts";
import { repeat } from "./kernel/repeat.ts";
import type { Ports, Tool } from "./kernel/tool.ts";
import { prepareDemo, writeQuickstart } from "./modules/demo/first-run.ts";
import { reconcileEffects } from "./modules/effects/reconcile-effects.ts";
import { flightBookingUse } from "./modules/flights/booking-steps.ts";
import { createIdentity } from "./modules/identity/identity.ts";
import { checkMasterKey } from "./modules/identity/store-tenants.ts";
import { ledgerImbalance } from "./modules/ledger/store.ts";
import { pruneChangeOffers } from "./modules/servicing/prune-change-offers.ts";
import { servicingCommits } from "./modules/servicing/servicing-commits.ts";
import { servicingUse } from "./modules/servicing/servicing-effect.ts";
import { stayBookingUse } from "./modules/stays/stay-booking-steps.ts";
import { createTravelers } from "./modules/travelers/store.ts";
import { ChargeByKey } from "./modules/usage/charge-by-key.ts";
import { createCalls } from "./modules/usage/store-calls.ts";
import { createUsage } from "./modules/usage/store-usage.ts";
import { sweepAbandonedCalls } from "./modules/usage/sweep-calls.ts";
import { equipMissingTenants, registerMissingAgents, sandboxPayer, sandboxPrefund } from "./open-chain.ts";
import { equipTenant } from "./open-identity.ts";
import { openMail } from "./open-mail.ts";
import { openPayments } from "./open-payments.ts";
import { openChains, openClaims, openPorts, openSuppliers } from "./open-ports.ts";
import { openSurfaces } from "./open-surfaces.ts";
import { openWebhooks } from "./open-webhooks.ts";
import { openDatabase } from "./platform/database/database.ts";
import { migrateUnlocked, withPreparationLock } from "./platform/database/migrate.ts";
import { isDatabaseAway } from "./platform/database/transient.ts";
import { whileDatabaseIsAway } from "./platform/database/while-database-is-away.ts";
import { createHttpClient } from "./platform/http-client/http-client.ts";
import { type Clock, systemClock } from "./ports/clock.ts";
import type { Environment } from "./ports/identity.ts";
import { describeChain, differencesOf, startChains } from "./start-chains.ts";
import type { ClosedReason } from "./surfaces/http/closed.ts";
import { createMetrics } from "./surfaces/http/metrics.ts";

/** Every tool with its schemas, compiled once. */
export const catalog = createCatalog(registry);

const HEARTBEAT_MILLISECONDS = 1_000;
const SWEEP_MILLISECONDS = 2_000;
const RECONCILE_MILLISECONDS = 1_000;
const PRUNE_MILLISECONDS = 600_000;
/** How long a call waits for a database that is away: longer than the embedded one needs to come back. */
const DATABASE_RETRY_MILLISECONDS = 8_000;

export interface ServiceOptions {
  /** Beside the registry; for benches and tests of the kernel. */
  extraTools?: readonly Tool[];
  clock?: Clock;
  /** For ids, keys and secrets of what callers ask for. Background jobs draw from the system's, so that a seeded run repeats. */
  random?: RandomBytes;
  /** Further arguments of the supplier sandbox, such as a clock that stands still. */
  supplierOptions?: readonly string[];
  /** The same for the development chain. */
  devnetOptions?: readonly string[];
  /** For harnesses around the product. */
  decorate?: Decorators;
  /** Lines for the operator while something takes long. */
  progress?(line: string): void;
  /** Ends a start that is under way; what was started is stopped by who started it, and `startService` rejects. */
  signal?: AbortSignal;
  log: Logger;
  closedBecause(): ClosedReason | undefined;
  /** What was started, in order; stopped in reverse. */
  undo: (() => Promise<unknown>)[];
  appUrl: string;
  edgeUrl: string;
  /** The application host from this machine. */
  localAppUrl: string;
}

/** The parts behind the hosts, and what the hosts serve. */
export async function startService(config: Config, options: ServiceOptions) {
  const { log, undo, closedBecause, decorate = {} } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const processId = newId("proc_", clock.now().epochMilliseconds);
  const production = config.networkMode === "production";

  const vault = createVault(
    readMasterKey({ masterKeyFile: config.masterKeyFile, dataDir: config.dataDir, production }),
  );
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl,
    supplierSandbox: config.embeddedSandbox === "on",
    ...(config.embeddedSandbox === "on" ? { devnetPrefund: sandboxPrefund(vault) } : {}),
    log,
    ...(decorate.devnetProgram === undefined ? {} : { devnetProgram: decorate.devnetProgram }),
    ...(options.devnetOptions === undefined ? {} : { devnetOptions: options.devnetOptions }),
    ...(options.supplierOptions === undefined ? {} : { supplierOptions: options.supplierOptions }),
    ...(options.progress === undefined ? {} : { progress: options.progress }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  undo.push(() => embedded.stop());
  const { databaseUrl } = embedded;
  const database = openDatabase(databaseUrl, {
    poolSize: config.databasePoolSize,
    onError: (error) => log.warn({ err: error }, "lost a database connection"),
  });
  undo.push(() => database.close());
  const { db, pool } = database;
  const travelers = createTravelers({ db, vault, clock });
  const bareStores = createStores(db, clock, vault);
  const stores = decorate.stores?.(bareStores) ?? bareStores;
  const http = createHttpClient();
  undo.push(async () => http.close());

  const prepare = async () => {
    await migrateUnlocked(database, migrations);
    await checkMasterKey(db, vault);
    const chains = await openChains(config, embedded, { db, vault, clock, stores, http, log, decorate });
    await equipMissingTenants({ db, vault, clock }, config.sandboxBalanceUsdc);
    await registerMissingAgents({ db, vault, clock });
    const identity = createIdentity({
      db,
      pool,
      databaseUrl,
      vault,
      clock,
      random,
      networkMode: config.networkMode,
      log,
      onTenantCreated: equipTenant(config, clock, vault),
    });
    try {
      const demo = production ? undefined : await prepareDemo({ dataDir: config.dataDir, identity, travelers });
      return { identity, demo, chains };
    } catch (error) {
      await identity.close();
      throw error;
    }
  };
  // A database that dies in the middle of a start comes back like at any other time.
  const prepared = await whileDatabaseIsAway(() => withPreparationLock(databaseUrl, prepare), options.signal);
  undo.push(() => prepared.identity.close());
  const { identity, chains } = prepared;
  undo.push(await startChains(chains, { config, db, vault, clock, stores, log }));

  const suppliers = openSuppliers(config, embedded, { clock, http, log, decorate });
  const mail = openMail(config);
  const claims = openClaims(config, vault, options.appUrl);
  const shared = { clock, random, log, travelers, stores, mailer: mail.mailer, http, ...claims };
  const portsByEnvironment = openPorts(config, embedded, chains, shared, suppliers);
  const portsFor = (environment: Environment): Ports | undefined => portsByEnvironment[environment];
  const bareCalls = createCalls(pool);
  const calls = decorate.calls?.(bareCalls) ?? bareCalls;
  const charge = new ChargeByKey({
    calls,
    stores,
    processId,
    clock,
    random,
    isTransient: isDatabaseAway,
    pause: (milliseconds) => delay(milliseconds),
    retryMilliseconds: DATABASE_RETRY_MILLISECONDS,
    onLooseEnd: (error) => log.error({ err: error }, "a call could not be settled"),
  });
  undo.push(() => charge.idle());
  // The monthly cap first: it costs nothing to ask, and what it refuses needs no plan.
  const gates = [charge.gate, ...createGates({ stores, clock })];
  const payments = await openPayments({ config, chains, stores, calls, processId, http, clock, random, log });
  undo.push(() => payments.idle());
  const metrics = createMetrics({
    ledgerImbalanceMicroUsdc: () => ledgerImbalance(db),
    ledgerChainDifferences: () => differencesOf(chains),
    receivables: () => stores.payments.receivables(),
  });
  const translate = (error: unknown) => {
    if (error instanceof Failure) return error.code === CHAIN_AWAY ? chainAway(error) : error;
    return isDatabaseAway(error) ? databaseAway(error) : error;
  };
  const callable = options.extraTools === undefined ? catalog : createCatalog([...registry, ...options.extraTools]);
  const kernel = createKernel({
    catalog: callable,
    charge,
    gates: decorate.gates?.(gates) ?? gates,
    portsFor,
    clock,
    random,
    log,
    translate,
    onCall: metrics.countCall,
  });
  await whileDatabaseIsAway(() => calls.heartbeat(processId), options.signal);
  const effectUses = [
    flightBookingUse({ stores, clock }, (network) => portsFor(network)?.flights),
    stayBookingUse({ stores, clock }, portsFor),
    servicingUse({ stores, clock }, (network) => {
      const ports = portsFor(network);
      return ports === undefined ? undefined : { submission: ports.submission, commits: servicingCommits(ports) };
    }),
  ];
  const jobs = [
    repeat("heartbeat", HEARTBEAT_MILLISECONDS, () => calls.heartbeat(processId), log),
    repeat("sweep-calls", SWEEP_MILLISECONDS, () => sweepAbandonedCalls({ calls, processId, clock, log }), log),
    repeat(
      "reconcile-effects",
      RECONCILE_MILLISECONDS,
      () => reconcileEffects(effectUses, { workerId: processId, log }),
      log,
    ),
    repeat("prune", PRUNE_MILLISECONDS, () => calls.prune(clock.now()), log),
    repeat("prune-change-offers", PRUNE_MILLISECONDS, () => pruneChangeOffers(stores, clock), log),
    repeat("prune-private-offers", PRUNE_MILLISECONDS, () => stores.privateOffers.prune(clock.now()), log),
  ];
  undo.push(() => Promise.all(jobs.map((stop) => stop())));
  undo.push(payments.startJobs());
  const webhooks = openWebhooks({ ...{ config, suppliers, stores, clock, log }, localAppUrl: options.localAppUrl });
  undo.push(await webhooks.start());
  undo.push(mail.startJob({ stores, claimKeys: claims.claimKeys, clock, log }));
  // First, so that a mail under way does not hold up the job's end.
  undo.push(async () => mail.close());

  const { demo } = prepared;
  const { appUrl, edgeUrl } = options;
  const hosts = await openSurfaces({
    ...{ config, kernel, catalog: callable, identity, travelers, appUrl, edgeUrl, closedBecause, translate },
    usage: createUsage(db),
    stores,
    portsFor,
    webhookReceivers: webhooks.receivers,
    paidNetworks: payments.networks,
    openCharge: payments.open,
    serviceSigningSecret: vault.deriveKey("service-signing-secret"),
    ...(decorate.mcpExtras === undefined ? {} : { mcpExtras: decorate.mcpExtras }),
    ...{ clock, random, log },
  });
  return {
    hosts,
    metrics,
    demo:
      demo === undefined
        ? undefined
        : {
            tenantId: demo.tenantId,
            quickstartPath: writeQuickstart(config.dataDir, {
              appUrl,
              edgeUrl,
              ...demo,
              supplierUrl: embedded.supplier?.url,
              chain: describeChain(chains.sandbox, embedded.chain?.rpcUrl),
              payer: sandboxPayer(vault),
            }),
          },
  };
}
