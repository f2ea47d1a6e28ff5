import type { RandomBytes } from "../../domain/ids.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { ChainOperations } from "../../ports/chain/chain-operation.ts";
import type { ClaimKeys } from "../../ports/chain/claim-keys.ts";
import type { MessageAttestationsByNetwork } from "../../ports/chain/message-attestations.ts";
import type { UnifiedBalanceByNetwork } from "../../ports/chain/unified-balance.ts";
import type { RecordSource } from "../../ports/channel-records.ts";
import type { ChatSimulator, ChatSystems } from "../../ports/chat.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Conditions } from "../../ports/conditions.ts";
import type { Elevation } from "../../ports/elevation.ts";
import type { Facilitator } from "../../ports/facilitator.ts";
import type { FxRates } from "../../ports/fx.ts";
import type { Environment, Identity } from "../../ports/identity.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import type { Log } from "../../ports/log.ts";
import type { MailIn, ResolveDns, SimulatedMail } from "../../ports/mail-in.ts";
import type { Mailer } from "../../ports/mailer.ts";
import type { MapTiles } from "../../ports/map-tiles.ts";
import type { Maps } from "../../ports/maps.ts";
import type { Nearby } from "../../ports/nearby.ts";
import type { NoticeDocument } from "../../ports/notice-document.ts";
import type { WaitingCalls } from "../../ports/outside-calls.ts";
import type { OutsideKeys } from "../../ports/outside-keys.ts";
import type { PageTranscriber } from "../../ports/page-transcriber.ts";
import type { Simulators } from "../../ports/simulators.ts";
import type { Supplier } from "../../ports/supplier/supplier.ts";
import type { TestFaucetByEnvironment } from "../../ports/test-faucet.ts";
import type { Threads } from "../../ports/threads.ts";
import type { Vault } from "../../ports/vault.ts";
import type { Ways } from "../../ports/ways.ts";
import type { AccountFacts } from "./account.ts";
import type { Chains } from "./by-chain.ts";
import type { Catalog } from "./catalog.ts";
import type { ChainEndings } from "./chain-ending.ts";
import type { Charge } from "./charge.ts";
import type { EffectUse } from "./effect-use.ts";
import type { TenantEventKind } from "./events.ts";
import type { RecordFailedCall } from "./failed-call.ts";
import type { Gate } from "./gate.ts";
import type { HasDuties, Kernel } from "./invocation.ts";
import type { OwnedBy, ReadsOf, StoresOf, Transaction } from "./stores.ts";
import type { Caller, PortsOf, Tool } from "./tool.ts";
import type { WorkTable } from "./work-table.ts";

export type ByEnvironment<Part> = Readonly<Partial<Record<Environment, Part>>>;

/** Parts of the running service that every module may use, one of each. */
export interface CommonParts {
  readonly clock: Clock;
  /** For ids, keys and secrets created for callers. */
  readonly random: RandomBytes;
  readonly log: Log;
  readonly vault: Vault;
  /** Unique per process, so that two processes never lease the same work. */
  readonly processId: string;
  /** Without a slash at the end. `local` is the application host as this machine reaches it. */
  readonly urls: { readonly app: string; readonly edge: string; readonly local: string };
  readonly chainOperations: ChainOperations;
  readonly chainEndings: ChainEndings;
  /** Gives a tenant the initial records of all modules, in the transaction that makes it, or later if it was made without. */
  equipTenant(transaction: Transaction, tenantId: string): Promise<void>;
  /** The outside systems. A missing environment is switched off. */
  readonly suppliers: ByEnvironment<Supplier>;
  readonly chains: Chains;
  readonly messageAttestations: MessageAttestationsByNetwork;
  readonly unifiedBalance: UnifiedBalanceByNetwork;
  readonly testFaucet: TestFaucetByEnvironment;
  /** Undefined: payments are verified and settled on the chain itself. */
  readonly facilitator: Facilitator | undefined;
  /** Undefined: the operator has no mail server. */
  readonly mailer: Mailer | undefined;
  readonly mailIn: MailIn;
  /** Looks up the keys and policies of senders' domains. */
  readonly mailDns: ResolveDns;
  /** Undefined: there is no sandbox. */
  readonly simulatedMail: SimulatedMail | undefined;
  readonly chatSystems: ChatSystems;
  /** Undefined: there is no sandbox. */
  readonly chatSimulator: ChatSimulator | undefined;
  /** Undefined: there is no sandbox. */
  readonly simulators: Simulators | undefined;
  /** Undefined: the operator has no vision model, and no document leaves the service. */
  readonly pageTranscriber: PageTranscriber | undefined;
  /** Answers conversations. */
  readonly languageModel: LanguageModel;
  readonly maps: Maps;
  readonly elevation: Elevation;
  readonly conditions: Conditions;
  readonly nearby: Nearby;
  readonly ways: Ways;
  readonly mapTiles: MapTiles;
  readonly fx: FxRates;
  readonly threads: Threads;
  readonly claimKeys: ClaimKeys;
  /** URLs of the parts that were started because the operator configured none. */
  readonly embedded: { readonly supplierUrl: string | undefined; readonly chainRpcUrl: string | undefined };
  /** A wallet on the development chain for experiments from outside. */
  readonly sandboxPayer: { readonly address: Hex; readonly privateKey: Hex };
  readonly identity: Identity;
  /** Undefined: the operator has no outside identity provider. */
  readonly outsideKeys: OutsideKeys | undefined;
  readonly hasDuties: HasDuties;
  /** How a call with a key is paid for. */
  readonly charge: Charge;
  /** Takes every call with a key that was refused or failed. */
  readonly recordFailedCall: RecordFailedCall;
  /** The gates of all modules, in their order. */
  readonly gates: readonly Gate[];
  /** Joins the account facts of all modules. */
  readonly readAccount: (caller: Caller) => Promise<Required<AccountFacts>>;
  /** Every tool that is listed. */
  readonly tools: readonly Tool[];
  /** Every tool that can be called. */
  readonly catalog: Catalog;
  /** The one path of a call, for calls on behalf of an absent caller. */
  readonly kernel: Kernel;
  /** From all modules: effects that are finished without a caller. */
  readonly effectUses: readonly EffectUse[];
  /** From all modules: rows that came in or went out by a channel. */
  readonly recordSources: readonly RecordSource[];
  /** From all modules: documents that go with notices to people. */
  readonly noticeDocuments: readonly NoticeDocument[];
  /** Calls to third parties that are to be stored. */
  readonly waitingCalls: WaitingCalls;
  /** From all modules: tables with unfinished work. */
  readonly workTables: readonly WorkTable[];
  /** From all modules: the events that tenants are told. */
  readonly tenantEvents: readonly TenantEventKind[];
}

/**
 * Parts that modules make and others use, by module and name. Each module adds its own; its `module.ts` says how they
 * are made.
 *
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it by declaration merging.
export interface ModuleParts {}

/**
 * The modules' settings, by module and name; the configuration has them all.
 *
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it by declaration merging.
export interface ModuleSettings {}

interface SeenParts<Name extends string> {
  readonly settings: OwnedBy<Name, ModuleSettings>;
  readonly stores: StoresOf<Name>;
  readonly reads: ReadsOf<Name>;
  /** The ports of tools and routes. Undefined if this environment is switched off. */
  readonly portsFor: (environment: Environment) => PortsOf<Name> | undefined;
}

export type PartsOf<Name extends string> = CommonParts & SeenParts<Name> & OwnedBy<Name, ModuleParts>;

/** How each part is made from others. */
export type PartMakersOf<Name extends string> = {
  readonly [Part in keyof PartsOf<Name>]: (parts: PartsOf<Name>) => PartsOf<Name>[Part];
};

const ENVIRONMENTS = ["sandbox", "production"] as const;

/** The environments that are switched on. */
export function listEnvironments<Part>(parts: ByEnvironment<Part>): readonly (readonly [Environment, Part])[] {
  return ENVIRONMENTS.flatMap((environment) => {
    const part = parts[environment];
    return part === undefined ? [] : [[environment, part] as const];
  });
}

/** Maps each environment that is switched on. */
export function mapEnvironments<From, To>(
  parts: ByEnvironment<From>,
  make: (part: From, environment: Environment) => To,
): ByEnvironment<To> {
  const made: { -readonly [Name in Environment]?: To } = {};
  for (const [environment, part] of listEnvironments(parts)) made[environment] = make(part, environment);
  return made;
}
