import { createEmbeddedPlaces } from "../../src/adapters/embedded-places/index.ts";
import { systemRandom } from "../../src/domain/ids.ts";
import { checkArguments } from "../../src/kernel/call/read-arguments.ts";
import { Replayed, type Tool } from "../../src/kernel/contracts/tool.ts";
import type { Ports } from "../../src/kernel/contracts/whole.ts";
import { createRules } from "../../src/modules/eligibility/assess.ts";
import { readRegimes } from "../../src/modules/eligibility/read-regimes.ts";
import { openMaps } from "../../src/outside/maps.ts";
import type { Accommodation, StaySearch, Stays } from "../../src/ports/supplier/stays.ts";
import { absent } from "./absent-port.ts";
import type { openBookingWorld } from "./booking-world.ts";
import { delivery } from "./delivery.ts";
import { inPlaceThreads } from "./in-place-threads.ts";
import { embeddedRates } from "./rates.ts";

const regimes = readRegimes(undefined);

type Tenant = Awaited<ReturnType<Awaited<ReturnType<typeof openBookingWorld>>["newTenant"]>>;

/** The hotel supplier: gives what it was told to and remembers what it was asked. */
export function createMemoryStays() {
  const searches: StaySearch[] = [];
  let find = (_query: StaySearch): readonly Accommodation[] => [];
  const stays: Stays = {
    provenance: () => ({ source: "memory-supplier", sourceLevel: "embedded", asOf: "2026-11-20T10:00:00Z" }),
    sandbox: true,
    readPhoto: async () => undefined,
    async searchAccommodations(query) {
      searches.push(query);
      const accommodations = find(query);
      const found = accommodations.map(({ rates: [cheapest], ...stay }) => ({ ...stay, cheapest }));
      return { accommodations, found };
    },
    async readAccommodations(searchResultIds, limit) {
      const all = searches.flatMap((query) => [...find(query)]);
      return all.filter(({ searchResultId }) => searchResultIds.includes(searchResultId)).slice(0, limit);
    },
  };
  return {
    stays,
    searches,
    answerWith(answer: readonly Accommodation[]) {
      find = () => answer;
    },
    answerBy(finding: typeof find) {
      find = finding;
    },
  };
}

type Caller = Partial<Tenant["caller"]>;

/** Runs a tool as the kernel does, with arguments that are checked first; gives back what the tool gives the kernel. */
export function toolRunner(tenant: Tenant, stays: Stays = createMemoryStays().stays) {
  const { clock, supplier, travelers, stores, caller } = tenant;
  const maps = openMaps({ geocodingProviders: ["embedded"] }, { nominatim: undefined }, createEmbeddedPlaces());
  const ports: Ports = {
    clock,
    random: systemRandom,
    flights: supplier.flights,
    flightServicing: absent("flightServicing", supplier.flightServicing),
    stays,
    stayBookings: absent("stayBookings"),
    maps,
    eligibility: createRules(regimes),
    documentScanner: absent("documentScanner"),
    documentSource: absent("documentSource"),
    usableChains: absent("usableChains"),
    gatewayEvents: absent("gatewayEvents"),
    gatewayGas: absent("gatewayGas"),
    payerTurns: absent("payerTurns"),
    fetchTurns: absent("fetchTurns"),
    elevation: absent("elevation"),
    conditions: absent("conditions"),
    nearby: absent("nearby"),
    ways: absent("ways"),
    mapTiles: absent("mapTiles"),
    travelers,
    stores,
    reads: (_, read) => read(stores),
    fx: embeddedRates,
    threads: inPlaceThreads,
    chain: absent("chain"),
    submission: { wake: () => undefined, waitForEnd: async () => undefined },
    delivery,
    channelNotices: { reaches: async () => false, send: async () => false },
    claimKeys: absent("claimKeys"),
    messageAttestations: absent("messageAttestations"),
    unifiedBalance: absent("unifiedBalance"),
    testFaucet: absent("testFaucet"),
    bridgeFinality: "standard",
    transferWaits: absent("transferWaits"),
    transfersOverChains: absent("transfersOverChains"),
    openWithdrawals: absent("openWithdrawals"),
    paidOrders: absent("paidOrders"),
    claimLinks: absent("claimLinks"),
    failedCallLog: absent("failedCallLog"),
    usage: absent("usage"),
    account: absent("account"),
    activePolicies: absent("activePolicies"),
    approvalDirections: absent("approvalDirections"),
    remainingBudgets: async () => [],
    fileShelf: absent("fileShelf"),
    mapRenderer: absent("mapRenderer"),
    invoiceAddresses: absent("invoiceAddresses"),
    invoiceRenderer: absent("invoiceRenderer"),
    itineraryRenderer: absent("itineraryRenderer"),
    itineraryKind: absent("itineraryKind"),
    eInvoices: undefined,
    workflows: absent("workflows"),
    agentTurns: absent("agentTurns"),
  };
  return async (
    tool: Tool,
    args: unknown,
    as: Caller = {},
    signal = new AbortController().signal,
  ): Promise<unknown> => {
    const input = checkArguments(tool, args, ports);
    return await tool.run(
      input,
      ports,
      { ...caller, ...as },
      {
        idempotencyKey: undefined,
        isRepeat: false,
        id: await tenant.newCall(),
        traceId: "t",
        signal,
        progress: () => undefined,
        preview: () => Promise.reject(new Error("nobody previews here")),
      },
    );
  };
}

/** The same, and the result must fit the output. */
export function toolCaller(tenant: Tenant, stays?: Stays) {
  const run = toolRunner(tenant, stays);
  return async (tool: Tool, args: unknown, as: Caller = {}): Promise<unknown> => {
    const answer = await run(tool, args, as);
    return tool.output.parse(answer instanceof Replayed ? answer.result : answer);
  };
}
