import { createPublicClient, erc20Abi, http, parseAbi } from "viem";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import { lower } from "../chain/chain-view.ts";
import type { Quickstart } from "../deployment.ts";
import type { EscrowBooks } from "./books.ts";

/** The escrow past the service: its own words on the chain, read with somebody else's library. */

const ABI = parseAbi([
  "struct Trip { address funder; uint64 expiresAt; bool isClosed; address claimSigner; address guest; uint128 free; uint128 held; }",
  "struct Booking { uint8 state; address vendor; uint128 reserved; uint128 vendorAmount; uint128 markup; uint128 serviceFee; }",
  "function trips(bytes32 tripId) view returns (Trip)",
  "function bookings(bytes32 tripId, bytes32 bookingId) view returns (Booking)",
  "event TripFunded(bytes32 indexed tripId, address indexed funder, uint256 budget, uint64 expiresAt, address claimSigner, bytes32 metadataHash)",
  "event TripClaimed(bytes32 indexed tripId, address indexed guest)",
  "event BookingReserved(bytes32 indexed tripId, bytes32 indexed bookingId, uint256 amount)",
  "event BookingSettled(bytes32 indexed tripId, bytes32 indexed bookingId, address indexed vendor, uint256 vendorAmount, uint256 markup, uint256 serviceFee, uint256 refunded)",
  "event BookingCancelled(bytes32 indexed tripId, bytes32 indexed bookingId, uint256 refunded, bytes32 reason)",
  "event BookingReturned(bytes32 indexed tripId, bytes32 indexed bookingId, uint256 returned, bytes32 reason)",
  "event ActionLogged(bytes32 indexed tripId, bytes32 indexed actionId, bytes32 indexed actionType, uint256 fee)",
]);
const STATES = ["none", "reserved", "committed", "confirmed", "settled", "cancelled"] as const;
const TIMEOUT_MILLISECONDS = 60_000;

export interface EscrowEvent {
  name: string;
  tripId: Hex;
  /** A booking's, an action's or a guest's; undefined for what is about the trip alone. */
  subject: Hex | undefined;
  amount: bigint;
}

export interface EscrowFacts {
  balance: bigint;
  /** By trip. */
  trips: ReadonlyMap<Hex, { free: bigint; held: bigint; guest: Hex }>;
  /** By trip and booking: `bookingKey`. */
  bookings: ReadonlyMap<
    string,
    { state: string; reserved: bigint; vendorAmount: bigint; markup: bigint; serviceFee: bigint }
  >;
  /** The balance of each vendor of our bookings. */
  vendors: ReadonlyMap<Hex, bigint>;
  events: readonly EscrowEvent[];
}

export const bookingKey = ({ trip_id, booking_id }: { trip_id: Hex; booking_id: Hex }): string =>
  `${trip_id} ${booking_id}`;

export function createEscrowView({ rpcUrl, usdc }: Quickstart["chain"], escrow: Hex) {
  const client = createPublicClient({
    transport: http(rpcUrl, { timeout: TIMEOUT_MILLISECONDS, retryCount: 0 }),
    cacheTime: 0,
  });
  const token = lower(usdc);

  async function readEvents(): Promise<EscrowEvent[]> {
    const events = ABI.filter((item) => item.type === "event");
    const logs = await client.getLogs({ address: escrow, events, fromBlock: 0n, strict: true });
    return logs.map(({ eventName, args }) => ({
      name: eventName,
      tripId: args.tripId,
      subject:
        "bookingId" in args
          ? args.bookingId
          : "actionId" in args
            ? args.actionId
            : "guest" in args
              ? lower(args.guest)
              : undefined,
      amount:
        "refunded" in args
          ? args.refunded
          : "budget" in args
            ? args.budget
            : "fee" in args
              ? args.fee
              : "amount" in args
                ? args.amount
                : "returned" in args
                  ? args.returned
                  : 0n,
    }));
  }

  const readBalance = (address: Hex, blockNumber: bigint) =>
    client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [address], blockNumber });

  return {
    events: readEvents,

    async read({ trips, bookings }: Pick<EscrowBooks, "trips" | "bookings">): Promise<EscrowFacts> {
      const blockNumber = await client.getBlockNumber();
      const at = { address: escrow, abi: ABI, blockNumber } as const;
      const ownTrips = new Map<Hex, { free: bigint; held: bigint; guest: Hex }>();
      for (const { trip_id } of trips) {
        const { free, held, guest } = await client.readContract({ ...at, functionName: "trips", args: [trip_id] });
        ownTrips.set(trip_id, { free, held, guest: lower(guest) });
      }
      const own = new Map<
        string,
        { state: string; reserved: bigint; vendorAmount: bigint; markup: bigint; serviceFee: bigint }
      >();
      const vendors = new Map<Hex, bigint>();
      for (const booking of bookings) {
        const args = [booking.trip_id, booking.booking_id] as const;
        const found = await client.readContract({ ...at, functionName: "bookings", args });
        own.set(bookingKey(booking), { ...found, state: STATES[found.state] ?? "unknown" });
        if (booking.vendor !== null) vendors.set(booking.vendor, await readBalance(booking.vendor, blockNumber));
      }
      return {
        balance: await readBalance(escrow, blockNumber),
        trips: ownTrips,
        bookings: own,
        vendors,
        events: await readEvents(),
      };
    },
  };
}

export type EscrowView = ReturnType<typeof createEscrowView>;
