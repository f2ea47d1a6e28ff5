import type { Hex } from "../domain/tokens.ts";
import type { Books } from "./books.ts";
import { type BooksCommand, defineBooksCommand, sayPlace } from "./chain-place.ts";
import { type Arguments, formatTable, UsageError } from "./command-line.ts";

const list = defineBooksCommand({
  name: "escrows",
  summary: "List the escrow contracts that tenants may use in addition to the network's own, including revoked ones.",
  prepare(_args, place) {
    return async (books) => {
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
    };
  },
});

type Decide = (books: Books, tenantId: string, address: Hex) => Promise<{ text: string; [field: string]: unknown }>;

const decideOnEscrow = (name: string, summary: string, decide: Decide) =>
  defineBooksCommand({
    name,
    summary,
    usage: "<tenantId> <address>",
    positionals: ["tenantId", "address"],
    prepare(args, { environment: network }) {
      const tenantId = args.positional(0);
      const address = readAddress(args);
      return async (books) => {
        const { text, ...decided } = await decide(books, tenantId, address);
        return { text, json: { network, tenantId, address, ...decided } };
      };
    },
  });

const allow = decideOnEscrow(
  "allow-escrow",
  "Let a tenant prefund trips in another escrow contract (escrowAddress). The contract must be on the environment's home chain, hold its USDC, be operated by the service's relayer and send its service fees to the collection wallet. Only this tenant can use it, from the next call on.",
  async (books, tenantId, address) => {
    const outcome = await books.allowEscrow(tenantId, address);
    const text =
      outcome === "allowed"
        ? `${tenantId} can now prefund trips in the escrow ${address}.`
        : `${tenantId} could already prefund trips in the escrow ${address}.`;
    return { text, outcome };
  },
);

const revoke = decideOnEscrow(
  "revoke-escrow",
  "Stop a tenant from prefunding trips in an allowed escrow. Its existing trips continue: they can be settled, closed and refunded.",
  async (books, tenantId, address) => {
    const revoked = await books.revokeEscrow(tenantId, address);
    const text = revoked
      ? `${tenantId} can no longer prefund trips in the escrow ${address}. Its existing trips continue.`
      : `The escrow ${address} was already revoked.`;
    return { text, revoked };
  },
);

function readAddress(args: Arguments): Hex {
  const [, digits] = /^0x([0-9a-fA-F]{40})$/.exec(args.positional(1)) ?? [];
  if (digits === undefined) throw new UsageError("<address> must be 0x and 40 hexadecimal digits.");
  return `0x${digits.toLowerCase()}`;
}

export const escrowCommands: readonly BooksCommand[] = [list, allow, revoke];
