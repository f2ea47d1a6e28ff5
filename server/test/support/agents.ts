import { getAddress, type Hex } from "viem";
import { vi } from "vitest";
import { z } from "zod";
import { identityRegistryAbi } from "../../src/generated/contracts/identity-registry.ts";
import { reputationRegistryAbi } from "../../src/generated/contracts/reputation-registry.ts";
import { validationRegistryAbi } from "../../src/generated/contracts/validation-registry.ts";
import { createEscrowBookings } from "../../src/modules/trips/store-bookings.ts";
import { createTrips } from "../../src/modules/trips/store-trips.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { createManualClock } from "./identity.ts";
import { sandboxChain } from "./sandbox-chain.ts";
import type { TestService } from "./service.ts";
import { newFundedTenant, requireResult, type Treasury } from "./treasury.ts";

const Address = z.templateLiteral(["0x", z.string()]);
const Contracts = z.object({
  agentRegistries: z.object({ identity: Address, reputation: Address, validation: Address, forwarder: Address }),
});

export interface TestTenant {
  tenantId: string;
  as: { key: string; tenantId: string };
  agentId: string;
  wallet: Hex;
}

/** The registries of a started product as anybody with viem reads them, and tenants whose agents are in them. */
export async function openAgents(service: TestService, { client, findTreasury }: Treasury) {
  const [network] = await service.sql("select contracts from chain_network where network = 'sandbox' and is_home");
  const { agentRegistries: contracts } = Contracts.parse(network?.contracts);

  /** It is registered by a separate transaction, which takes a moment. */
  async function withAgent(tenantId: string, as: TestTenant["as"]): Promise<TestTenant> {
    const agentId = await vi.waitFor(
      async () => {
        const answer = await service.call("read_reputation", { recentLimit: 0 }, as);
        return z.object({ agentId: z.string() }).parse(requireResult(answer)).agentId;
      },
      { timeout: 100_000 },
    );
    return { tenantId, as, agentId, wallet: await findTreasury(tenantId) };
  }

  return {
    contracts,
    demo: () => withAgent(service.tenantId, { key: service.apiKey, tenantId: service.tenantId }),
    async newTenant(name: string): Promise<TestTenant> {
      const { tenantId, as } = await newFundedTenant(service, name);
      return await withAgent(tenantId, as);
    },
    readOwner: (agentId: string) =>
      client.readContract({
        address: contracts.identity,
        abi: identityRegistryAbi,
        functionName: "ownerOf",
        args: [BigInt(agentId)],
      }),
    /** The registry's ratings of this agent, by everybody or by one client, in the order of the indexes. */
    async readRatings(agentId: string, of?: Hex) {
      const [clients, , values, decimals, tags, , revoked] = await client.readContract({
        address: contracts.reputation,
        abi: reputationRegistryAbi,
        functionName: "readAllFeedback",
        args: [BigInt(agentId), of === undefined ? [] : [getAddress(of)], "", "", true],
      });
      return values.map((value, index) => ({
        client: clients[index]?.toLowerCase(),
        stars: Number(value),
        decimals: decimals[index],
        tag: tags[index],
        isRevoked: revoked[index],
      }));
    },
    async validation(requestHash: string) {
      const hash = Address.parse(requestHash);
      return await client.readContract({
        address: contracts.validation,
        abi: validationRegistryAbi,
        functionName: "validations",
        args: [hash],
      });
    },
    readRequests: (agentId: string) =>
      client.readContract({
        address: contracts.validation,
        abi: validationRegistryAbi,
        functionName: "getAgentValidations",
        args: [BigInt(agentId)],
      }),
  };
}

export type Agents = Awaited<ReturnType<typeof openAgents>>;

const digits = (number: number): Hex => `0x${number.toString(16).padStart(64, "0")}`;
let next = 0;

/** A trip with a booking as they are stored before the chain has them: all that a rating asks of them. */
/** `agentTokenId`: the agent that the trip is prefunded for. */
export async function storeTrip(
  { config }: TestService,
  { vault }: Treasury["keys"],
  tenant: TestTenant,
  agentTokenId = "1",
) {
  const { db, close } = openDatabase(config.databaseUrl ?? "", { poolSize: 1, onError: () => undefined });
  const clock = createManualClock();
  next += 1;
  const [tripId, bookingId] = [digits(0xabc0000 + next), digits(0xdef0000 + next)];
  const { tenantId, wallet } = tenant;
  try {
    await createTrips({ db, vault, clock }).insert({
      tripId,
      ...sandboxChain,
      tenantId,
      userId: "user_demo",
      escrow: wallet,
      funder: wallet,
      budget: 5_000_000n,
      expiresAt: clock.now().add({ hours: 1_000 }),
      codeNonce: digits(next),
      requiresCode: false,
      details: { linkOrigin: "https://trips.example", agentTokenId },
      guestEmail: undefined,
      mail: "none",
    });
    const pending = { step: "reserve", transactionId: "ctx_none", details: {} } as const;
    const names = { bookingId, tripId, ...sandboxChain, tenantId } as const;
    await createEscrowBookings(db, clock).insert({ ...names, reserved: 1_000_000n, pending });
  } finally {
    await close();
  }
  return { tripId, bookingId };
}
