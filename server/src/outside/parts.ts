import type { Logger } from "pino";
import { createEmbeddedPlaces } from "../adapters/embedded-places/index.ts";
import { createClaimKeys } from "../adapters/evm/index.ts";
import type { Config } from "../config/config.ts";
import { catalog, chainOperations, gatheredParts, moduleParts, modules, registry, schema } from "../contributions.ts";
import { createParts, type Decorators } from "../decorate.ts";
import { Failure } from "../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../domain/ids.ts";
import { supplierErrors } from "../domain/travel/supplier-errors.ts";
import type { Embedded } from "../embedded/start-embedded.ts";
import { CostlyCalls } from "../kernel/call/costly-calls.ts";
import { createKernel, type KernelOptions } from "../kernel/call/invoke.ts";
import { createCatalog } from "../kernel/contracts/catalog.ts";
import type { Tool } from "../kernel/contracts/tool.ts";
import type { Parts, Reads } from "../kernel/contracts/whole.ts";
import { createWaitingCalls } from "../platform/batching/waiting-calls.ts";
import { type OpenDatabase, openDatabase } from "../platform/database/database.ts";
import { migrateUnlocked, withPreparationLock } from "../platform/database/migrate.ts";
import { createNews, type News } from "../platform/database/news.ts";
import { whileDatabaseIsAway } from "../platform/database/while-database-is-away.ts";
import { createHttpClient, type HttpClient } from "../platform/http-client/http-client.ts";
import { recordedClient } from "../platform/http-client/recorded-calls.ts";
import { ThreadPool } from "../platform/threads/thread-pool.ts";
import type { ThirdParty } from "../ports/channel-records.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import type { WaitingCalls } from "../ports/outside-calls.ts";
import type { Vault } from "../ports/vault.ts";
import { createRequestLimits } from "../surfaces/http/limits/request-limits.ts";
import { PHOTOS_PATH } from "../surfaces/photos.ts";
import { openChains } from "./chain/chains.ts";
import { openCrossChainServices } from "./chain/cross-chain.ts";
import { openChatSimulator, openChatSystems } from "./chat/chat-systems.ts";
import { openSimulatedMail } from "./chat/simulated-mail.ts";
import { openConditions } from "./conditions.ts";
import { openElevation } from "./elevation.ts";
import { type EmbeddedOptions, openEmbedded } from "./embedded.ts";
import { openExchangeRates } from "./exchange-rates.ts";
import { openFacilitator } from "./facilitator.ts";
import { openOutsideKeys } from "./identity/outside-keys.ts";
import { openLanguageModel } from "./language-model.ts";
import { openMailer, openMailIn, resolveMailDns } from "./mailer.ts";
import { openMapTiles } from "./map-tiles.ts";
import { openMaps } from "./maps.ts";
import { openNearby } from "./nearby.ts";
import { openSources } from "./open-sources.ts";
import { openPageTranscriber } from "./page-transcriber.ts";
import { openReads } from "./reads.ts";
import { openSimulators } from "./sandbox/open-simulators.ts";
import { sandboxPayer } from "./sandbox-keys.ts";
import { openSuppliers } from "./suppliers.ts";
import { openTestFaucet } from "./test-faucet.ts";
import { translate } from "./translate.ts";
import { openVault } from "./vault.ts";
import { openWays } from "./ways.ts";

const READ_AGAIN_SECONDS = 2;

interface PartsOptions extends EmbeddedOptions {
  decorate?: Decorators;
  clock?: Clock;
  random?: RandomBytes;
  log: Logger;
  urls: Parts["urls"];
  /** Added to the registry; for benches and tests of the kernel. */
  extraTools?: readonly Tool[];
  countCall?: KernelOptions["onCall"];
}

/** The parts that exist before the database is prepared. */
interface Opened {
  config: Config;
  options: PartsOptions;
  clock: Clock;
  vault: Vault;
  embedded: Embedded;
  database: OpenDatabase;
  reads: Reads;
  news: News;
  /** The one client, as each third party is asked by it. */
  http: Readonly<Record<ThirdParty, HttpClient>>;
  /** The same, for whom other records are kept. */
  client: HttpClient;
  calls: WaitingCalls;
  threads: ThreadPool;
}

/** Opens the configured parts, prepares the database, and makes the service's parts from both. */
export async function openParts(
  config: Config,
  options: PartsOptions,
  undo: (() => Promise<unknown>)[],
): Promise<Parts> {
  const { log, clock = systemClock } = options;
  const vault = await openVault(config);
  const embedded = await openEmbedded(config, vault, options, log);
  undo.push(() => embedded.stop());
  const onError = (error: Error) => log.warn({ err: error }, "lost a database connection");
  const database = openDatabase(embedded.databaseUrl, { poolSize: config.databasePoolSize, onError });
  undo.push(() => database.close());
  const { reads, close } = openReads(config, { databaseUrl: embedded.databaseUrl, onError, clock, vault });
  undo.push(close);
  const news = createNews({ databaseUrl: embedded.databaseUrl, log });
  undo.push(() => news.close());
  const client = createHttpClient();
  undo.push(async () => client.close());
  const calls = createWaitingCalls();
  const http = openClients(client, calls);
  const threads = new ThreadPool({ log, failure: failedReading });
  undo.push(() => threads.close());
  const opened = { config, options, clock, vault, embedded, database, reads, news, http, client, calls, threads };
  // A database that fails during the start is waited for, as at any other time.
  return await whileDatabaseIsAway(
    () => withPreparationLock(embedded.databaseUrl, () => prepareParts(opened)),
    options.signal,
  );
}

function openClients(client: HttpClient, calls: WaitingCalls): Opened["http"] {
  const open = (party: ThirdParty) => recordedClient(client, party, calls);
  return {
    supplier: open("supplier"),
    chain: open("chain"),
    maps: open("maps"),
    fx: open("fx"),
    facilitator: open("facilitator"),
    model: open("model"),
  };
}

/** Runs in one process at a time. */
async function prepareParts(opened: Opened): Promise<Parts> {
  const { config, options, clock, vault, embedded, database, http } = opened;
  const { db } = database;
  await migrateUnlocked(database, schema);
  for (const one of modules) await one.check?.({ db, clock, vault });
  const chains = await openChains(config, embedded, {
    db,
    vault,
    clock,
    http: http.chain,
    operations: chainOperations,
    log: options.log,
  });
  const facilitator = await openFacilitator(config, chains, http.facilitator);
  const parts = createParts(
    { ...moduleParts, ...gatheredParts, ...outsideParts(opened, { chains, facilitator }) },
    options.decorate,
  );
  try {
    for (const one of modules) await one.prepare?.(parts);
    return parts;
  } catch (error) {
    for (const one of modules.toReversed()) await one.stop?.(parts);
    throw error;
  }
}

/** The threads read the supplier's answers. */
function failedReading(reason: string): Failure {
  return new Failure("provider_unavailable", {
    detail: supplierErrors.provider_unavailable,
    cause: new Error(reason),
    retryAfterSeconds: READ_AGAIN_SECONDS,
  });
}

type AskedFor = Pick<Parts, "chains" | "facilitator">;

function outsideParts(
  { config, options, clock, vault, embedded, database, reads, news, http, client, calls, threads }: Opened,
  { chains, facilitator }: AskedFor,
) {
  const { log, random = systemRandom, urls, extraTools = [], countCall: onCall } = options;
  const processId = newId("proc_", clock.now().epochMilliseconds);
  const { db, pool } = database;
  const sources = openSources(config, { clock, http: http.maps, log });
  const places = createEmbeddedPlaces();
  const crossChain = openCrossChainServices({ config, embedded, chains, vault, http: http.chain });
  return {
    clock: () => clock,
    random: () => random,
    log: () => log,
    vault: () => vault,
    processId: () => processId,
    settings: () => config,
    urls: () => urls,
    db: () => db,
    pool: () => pool,
    reads: () => reads,
    news: () => news,
    databaseUrl: () => embedded.databaseUrl,
    embedded: () => ({ supplierUrl: embedded.supplier?.url, chainRpcUrl: embedded.chain?.rpcUrl }),
    sandboxPayer: () => sandboxPayer(vault),
    threads: () => threads,
    suppliers: () =>
      openSuppliers(config, embedded, {
        clock,
        http: http.supplier,
        log,
        threads,
        publicPhotosUrl: `${urls.app}${PHOTOS_PATH}`,
      }),
    chains: () => chains,
    facilitator: () => facilitator,
    messageAttestations: () => crossChain.messageAttestations,
    unifiedBalance: () => crossChain.unifiedBalance,
    outsideKeys: () => openOutsideKeys(config, { http: client, clock, log }),
    testFaucet: () => openTestFaucet(config, http.chain),
    mailer: () => openMailer(config),
    mailIn: () => openMailIn(config, log),
    mailDns: () => resolveMailDns,
    chatSystems: () => openChatSystems(config, client),
    chatSimulator: () => openChatSimulator(config, { embedded, vault, http: client }),
    simulatedMail: ({ chatSimulator }: Parts) => openSimulatedMail({ simulator: chatSimulator, vault, http: client }),
    pageTranscriber: () => openPageTranscriber(config, { http: http.model, log }),
    languageModel: () => openLanguageModel(config, { clock, log, calls }),
    maps: () => openMaps(config, sources, places),
    elevation: () => openElevation(config, sources, places),
    conditions: () => openConditions(sources, places, clock),
    nearby: () => openNearby(sources, clock),
    ways: () => openWays(sources, clock),
    mapTiles: () => openMapTiles(sources, clock),
    simulators: ({ chatSimulator }: Parts) =>
      openSimulators({
        dataDir: config.dataDir,
        embedded,
        vault,
        http: client,
        chatSimulator,
        startAttester: crossChain.startAttester,
      }),
    fx: () => openExchangeRates(config, { clock, http: http.fx, log }),
    waitingCalls: () => calls,
    claimKeys: () => createClaimKeys(vault),
    requestLimits: () => createRequestLimits(config, clock),
    mcpExtras: () => undefined,
    catalog: () => (extraTools.length === 0 ? catalog : createCatalog([...registry, ...extraTools])),
    kernel: (parts: Parts) =>
      createKernel({
        ...pickKernelParts(parts),
        log,
        translate,
        costlyCalls: new CostlyCalls(config),
        ...(onCall === undefined ? {} : { onCall }),
      }),
  };
}

function pickKernelParts(parts: Parts) {
  const { catalog: tools, charge, gates, portsFor, clock, random, hasDuties, recordFailedCall } = parts;
  return { catalog: tools, charge, gates, portsFor, clock, random, hasDuties, recordFailedCall };
}
