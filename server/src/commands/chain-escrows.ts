import type { Hex } from "../domain/tokens.ts";
import type { Books, BooksPlace } from "./books.ts";
import { PLACE_USAGE, placeOptions, readPlace, sayPlace } from "./chain-place.ts";
import { type Arguments, type Command, formatTable, UsageError } from "./command-line.ts";

type OpenBooks = <Result>(place: BooksPlace, work: (books: Books) => Promise<Result>) => Promise<Result>;

const WHICH = `${PLACE_USAGE} <tenantId> <address>`;

const list: Command<OpenBooks> = {
  name: "escrows",
  summary: "List the escrow contracts that tenants may use besides the network's own, and those that were revoked.",
  usage: PLACE_USAGE,
  positionals: [],
  options: placeOptions,
  prepare(args) {
    const place = readPlace(args);
    return (openBooks) =>
      openBooks(place, async (books) => {
        const escrows = (await books.escrows()).map(({ address, tenantId, sinceBlock, allowedAt, revokedAt }) => ({
          address,
          tenantId,
          sinceBlock: sinceBlock.toString(),
          allowedAt: allowedAt.toString(),
          revokedAt: revokedAt?.toString() ?? null,
        }));
        const rows = escrows.map(({ address, tenantId, sinceBlock, revokedAt }) => {
          return [address, tenantId, sinceBlock, revokedAt === null ? "allowed" : `revoked ${revokedAt.slice(0, 10)}`];
        });
        const text =
          rows.length === 0
            ? `No tenant may use another escrow. Allow one: npm run chain -- allow-escrow ${sayPlace(place)} <tenantId> <address>`
            : formatTable(["ESCROW", "TENANT", "IN THE BOOKS SINCE BLOCK", "NEW TRIPS"], rows);
        return { text, json: { network: place.environment, escrows } };
      });
  },
};

const allow: Command<OpenBooks> = {
  name: "allow-escrow",
  summary:
    "Let a tenant prefund trips in another escrow contract (escrowAddress). The contract must hold the network's USDC, be operated by the service's relayer and send its service fees to the collection wallet. Only this tenant can use it, from the next call on.",
  usage: WHICH,
  positionals: ["tenantId", "address"],
  options: placeOptions,
  prepare(args) {
    const place = readPlace(args);
    const tenantId = args.positional(0);
    const address = readAddress(args);
    return (openBooks) =>
      openBooks(place, async (books) => {
        const outcome = await books.allowEscrow(tenantId, address);
        const text =
          outcome === "allowed"
            ? `${tenantId} can prefund trips in the escrow ${address} now.`
            : `${tenantId} could prefund trips in the escrow ${address} already.`;
        return { text, json: { network: place.environment, tenantId, address, outcome } };
      });
  },
};

const revoke: Command<OpenBooks> = {
  name: "revoke-escrow",
  summary:
    "Let a tenant prefund no more trips in an escrow that was allowed. Trips that are in it go on: they can be settled, closed and refunded.",
  usage: WHICH,
  positionals: ["tenantId", "address"],
  options: placeOptions,
  prepare(args) {
    const place = readPlace(args);
    const tenantId = args.positional(0);
    const address = readAddress(args);
    return (openBooks) =>
      openBooks(place, async (books) => {
        const revoked = await books.revokeEscrow(tenantId, address);
        const text = revoked
          ? `${tenantId} can prefund no more trips in the escrow ${address}. Trips that are in it go on.`
          : `The escrow ${address} was revoked before.`;
        return { text, json: { network: place.environment, tenantId, address, revoked } };
      });
  },
};

function readAddress(args: Arguments): Hex {
  const [, digits] = /^0x([0-9a-fA-F]{40})$/.exec(args.positional(1)) ?? [];
  if (digits === undefined) throw new UsageError("<address> is 0x and 40 hexadecimal digits.");
  return `0x${digits.toLowerCase()}`;
}

export const escrowCommands: readonly Command<OpenBooks>[] = [list, allow, revoke];
