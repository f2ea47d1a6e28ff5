import { encodeDeployData } from "viem";
import { chainEndings } from "../../src/contributions.ts";
import { systemRandom } from "../../src/domain/ids.ts";
import type { Hex } from "../../src/domain/tokens.ts";
import { tripEscrowAbi, tripEscrowBytecode } from "../../src/generated/contracts/trip-escrow.ts";
import { createChainSubmitter } from "../../src/modules/chain/sending/submit-chain.ts";
import { releaseReservation } from "../../src/modules/escrow/bookings/release-reservation.ts";
import { allowEscrow } from "../../src/modules/escrow/escrows/allow-escrow.ts";
import { fundTrip } from "../../src/modules/escrow/prefund-trip.ts";
import type { BookingAction, TripAction } from "../../src/modules/escrow/step-machine/escrow-action.ts";
import { takeBookingStep, takeReservation } from "../../src/modules/escrow/step-machine/take-booking-step.ts";
import type { StepAnswer, StepPorts } from "../../src/modules/escrow/step-machine/take-step.ts";
import { takeTripStep } from "../../src/modules/escrow/step-machine/take-trip-step.ts";
import type { SendOutAnswer } from "../../src/modules/treasury/send-out.ts";
import type { NewTrip } from "../../src/modules/trips/trips.ts";
import type { ChainSubmission } from "../../src/ports/chain/chain-transactions.ts";
import type { EscrowContract, TripTerms } from "../../src/ports/chain/escrow-contract.ts";
import { type ChainWorld, openChainWorld, UNIT } from "./chain-world.ts";
import type { dyingProcess } from "./dying-ports.ts";
import { freshHash, HexText } from "./escrow.ts";
import { silentLog } from "./identity.ts";
import { sandboxChain } from "./sandbox-chain.ts";
import { stranger } from "./treasury.ts";

const DAY = 86_400;
const PATIENCE_MILLISECONDS = 120_000;

/** One call of a tenant that takes one step. */
export interface StepCall {
  callId: string;
  ports?: StepPorts;
}

const GRACE_SECONDS = 604_800n;

/** An escrow contract as an operator deploys it for one tenant, before it is allowed. */
export async function deployFurtherEscrow({ devChain, openedChain }: ChainWorld): Promise<Hex> {
  const relayer = (await openedChain.wallets.list(sandboxChain)).find(({ kind }) => kind === "relayer");
  const usdc = openedChain.chain.tokens.USDC.address;
  const args = [usdc, stranger(), relayer?.address ?? "0x", openedChain.collection.address, GRACE_SECONDS] as const;
  const data = encodeDeployData({ abi: tripEscrowAbi, bytecode: tripEscrowBytecode, args });
  const { contractAddress } = await devChain.sendAs(devChain.funderKey, { data });
  return HexText.parse(contractAddress?.toLowerCase());
}

async function openFurtherEscrow(world: ChainWorld, tenantId: string): Promise<EscrowContract> {
  const { stores, openedChain } = world;
  const address = await deployFurtherEscrow(world);
  await world.reconcile();
  await allowEscrow({ chain: openedChain.chain, stores }, { tenantId, address });
  const facts = await stores.furtherEscrows.find(sandboxChain, address);
  if (facts === undefined) throw new Error("the escrow was allowed and is not there");
  return openedChain.chain.escrowAt(facts);
}

/**
 * Trips and bookings on a development chain, without the surfaces: as many processes as a test wants. `isFurther`: in an escrow that
 * only the tenant may use.
 */
export async function openTripWorld({ isFurther = false } = {}) {
  const world = await openChainWorld();
  const openedChain = await world.open({ endings: chainEndings });
  const tenant = await world.newTenant(100_000n * UNIT);
  const { stores, clock } = world;
  const tenantId = tenant.tenant.id;
  const escrow = isFurther ? await openFurtherEscrow(world, tenantId) : openedChain.chain.escrow;
  if (escrow === undefined) throw new Error("the development chain has no escrow");
  /** Who waits at all waits for as long as it takes: many orders at once are not soon over everywhere. */
  const submission: ChainSubmission = {
    wake: openedChain.submitter.wake,
    waitForEnd: (id, timeoutMilliseconds) =>
      openedChain.submitter.waitForEnd(id, timeoutMilliseconds === 0 ? 0 : PATIENCE_MILLISECONDS),
  };
  const healthy: StepPorts = { stores, chain: openedChain.chain, submission, clock };

  /**
   * A process of its own, which dies when it is told to. Who waits in it carries his order out himself, one turn after the other:
   * with a loop beside him, and looks when time has passed, the number of steps would be another one each time.
   */
  function openDying({ mortal, mortalStores }: ReturnType<typeof dyingProcess>): StepPorts {
    const mortals = mortalStores(stores);
    const submitter = createChainSubmitter({
      chain: mortal(openedChain.chain),
      operations: openedChain.operations,
      sender: mortal(openedChain.sender),
      wallets: mortal(openedChain.wallets),
      stores: mortals,
      endings: chainEndings,
      isTransient: () => false,
      log: silentLog,
      timing: { resendMilliseconds: 0 },
    });
    const alone: ChainSubmission = {
      wake: () => undefined,
      async waitForEnd(id) {
        for (;;) {
          const end = await submitter.waitForEnd(id, 0);
          if (end !== undefined) return end;
          await submitter.runOnce();
        }
      },
    };
    return { stores: mortals, chain: openedChain.chain, submission: alone, clock };
  }

  /** Has what it asks for carried out by a healthy process, which otherwise does nothing. */
  async function drained<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) await openedChain.submitter.runOnce();
    return await work;
  }

  const newCall = (idempotencyKey: string | null = null) => world.newCall(tenantId, idempotencyKey);
  const newTerms = (budget: bigint, seconds: number): TripTerms => ({
    funder: tenant.wallet.address,
    budget,
    expiresAt: BigInt(Math.floor(clock.now().epochMilliseconds / 1000) + seconds),
    claimSigner: stranger(),
    metadataHash: freshHash(),
    salt: freshHash(),
  });

  /** In how many seconds it expires by the contract, and by the record. */
  function plan(budget: bigint, { seconds = DAY, believed = DAY } = {}): { terms: TripTerms; trip: NewTrip } {
    const terms = newTerms(budget, seconds);
    const trip: NewTrip = {
      tripId: escrow?.tripId(terms) ?? "0x",
      ...sandboxChain,
      tenantId,
      userId: "svc:key",
      escrow: escrow?.address ?? "0x",
      funder: terms.funder,
      budget,
      expiresAt: clock.now().add({ seconds: believed }),
      codeNonce: freshHash(),
      requiresCode: false,
      details: { linkOrigin: "https://app.example" },
      guestEmail: undefined,
      mail: "none",
    };
    return { terms, trip };
  }

  async function fund(planned: ReturnType<typeof plan>, { callId, ports = healthy }: StepCall): Promise<SendOutAnswer> {
    const { tripId } = planned.trip;
    return await fundTrip(ports, { callId, ...planned, result: { tripId }, isSame: () => true });
  }

  const result = () => ({ ok: 1 });
  return {
    ...world,
    openedChain,
    tenant,
    tenantId,
    escrow,
    ports: healthy,
    openDying,
    drained,
    newCall,
    plan,
    fund,
    async newTrip(budget: bigint, times = {}): Promise<Hex> {
      const planned = plan(budget, times);
      await drained(fund(planned, { callId: await newCall() }));
      return planned.trip.tripId;
    },
    reserve: (
      tripId: Hex,
      bookingId: Hex,
      amount: bigint,
      { callId, ports = healthy }: StepCall,
    ): Promise<StepAnswer> =>
      takeReservation(ports, { tenantId, callId, tripId, bookingId, amount, random: systemRandom, result }),
    step: (action: BookingAction, { callId, ports = healthy }: StepCall): Promise<StepAnswer> =>
      takeBookingStep(ports, { tenantId, callId, action, result }),
    release: (tripId: Hex, bookingId: Hex, { callId, ports = healthy }: StepCall): Promise<StepAnswer> =>
      releaseReservation(ports, { tenantId, callId, tripId, bookingId, reason: "timeout", result }),
    tripStep: (tripId: Hex, action: TripAction, { callId, ports = healthy }: StepCall): Promise<StepAnswer> =>
      takeTripStep(ports, { tenantId, callId, tripId, action, result: result() }),
    async trip(tripId: Hex) {
      const trip = await stores.trips.get("sandbox", tripId);
      if (trip === undefined) throw new Error(`no trip ${tripId}`);
      return trip;
    },
    async booking(bookingId: Hex) {
      const booking = await stores.escrowBookings.find(tenantId, "sandbox", bookingId);
      if (booking === undefined) throw new Error(`no booking ${bookingId}`);
      return booking;
    },
  };
}

export type TripWorld = Awaited<ReturnType<typeof openTripWorld>>;
