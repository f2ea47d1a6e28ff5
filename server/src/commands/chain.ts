import { readConfig } from "../config/config.ts";
import { Failure } from "../domain/errors.ts";
import { formatDecimal } from "../domain/money.ts";
import { type Hex, tokenSymbols } from "../domain/tokens.ts";
import type { TokenMovement } from "../ports/chain/chain.ts";
import { type BooksStatus, type WalletStatus, withBooks } from "./books.ts";
import { escrowCommands } from "./chain-escrows.ts";
import { defineBooksCommand, type OpenBooks, sayPlace } from "./chain-place.ts";
import { poolCommands } from "./chain-pool.ts";
import { type Arguments, formatTable, JSON_NOTE, type Program, UsageError } from "./command-line.ts";
import { runAsCommand } from "./run-as-command.ts";

const WEI_PER_MICRO = 10n ** 12n;

const status = defineBooksCommand({
  name: "status",
  summary: "Show an environment's chain, the service's wallets, pending transactions, and why payments are stopped.",
  prepare() {
    return async (books) => {
      const found = await books.status();
      return { text: statusText(found), json: statusJson(found) };
    };
  },
});

const treasury = defineBooksCommand({
  name: "treasury",
  summary: "Show a tenant's deposit address in an environment, and the ledger balance of its treasury wallet.",
  usage: "<tenantId>",
  positionals: ["tenantId"],
  prepare(args, { environment: which }) {
    const tenantId = args.positional(0);
    return async (books) => {
      const { address, books: found } = await books.treasury(tenantId);
      const rows = tokenSymbols.map((token) => {
        const { available, held, outgoing } = found[token];
        return {
          token,
          available: formatDecimal(available),
          held: formatDecimal(held),
          outgoing: formatDecimal(outgoing),
        };
      });
      const table = formatTable(
        ["TOKEN", "AVAILABLE", "HELD", "OUTGOING"],
        rows.map(({ token, available, held, outgoing }) => [token, available, held, outgoing]),
      );
      const text = `${address}\n\n${table}`;
      return { text, json: { network: which, tenantId, address, balances: rows } };
    };
  },
});

const accept = defineBooksCommand({
  name: "accept",
  summary:
    "Book what left tenants' wallets in a transaction that is not the service's. It is deducted from their available balance.",
  usage: "<transactionHash>",
  positionals: ["transactionHash"],
  prepare(args, place) {
    const { environment: which } = place;
    const hash = readHash(args.positional(0));
    return async (books) => {
      const accepted = await books.accept(hash);
      const movements = accepted.map(({ amount, ...rest }) => ({ ...rest, amount: formatDecimal(amount) }));
      const lines = movements.map(({ token, from, amount }) => `  ${amount} ${token} out of ${from}`);
      const text =
        lines.length === 0
          ? "This transaction took nothing out of any of the service's wallets."
          : `Booked:\n${lines.join("\n")}\nNow: npm run chain -- resume ${sayPlace(place)}`;
      return { text, json: { network: which, transactionHash: hash, movements } };
    };
  },
});

const blocks = { "from-block": { type: "string" }, "to-block": { type: "string" } } as const;

const unknown = defineBooksCommand({
  name: "unknown",
  summary: "List what left wallets in transactions that are not in the books, for example after restoring a backup.",
  usage: "[--from-block <number>] [--to-block <number>]",
  options: blocks,
  prepare(args, place) {
    const { environment: which } = place;
    const from = readBlock(args, "from-block") ?? 0n;
    const to = readBlock(args, "to-block");
    return async (books) => {
      const { toBlock, movements } = await books.unknown(from, to);
      const json = { network: which, fromBlock: from.toString(), toBlock: toBlock.toString() };
      const next = `npm run chain -- accept-unknown ${sayPlace(place)} --from-block ${from} --to-block ${toBlock}`;
      const text =
        movements.length === 0
          ? `All movements out of wallets in the blocks ${from} to ${toBlock} are in the ledger.`
          : `${movementTable(movements)}\n\nAccept exactly these: ${next}`;
      return { text, json: { ...json, movements: movements.map(movementJson) } };
    };
  },
});

const acceptUnknown = defineBooksCommand({
  name: "accept-unknown",
  summary: "Accept everything that `unknown` lists in these blocks, and explain each that cannot be accepted.",
  usage: "--from-block <number> --to-block <number>",
  options: blocks,
  prepare(args, place) {
    const { environment: which } = place;
    args.required("from-block");
    args.required("to-block");
    const from = readBlock(args, "from-block") ?? 0n;
    const to = readBlock(args, "to-block");
    return async (books) => {
      const { movements } = await books.unknown(from, to);
      const hashes = [...new Set(movements.map(({ transactionHash }) => transactionHash))];
      const refused: { transactionHash: Hex; reason: string }[] = [];
      for (const transactionHash of hashes) {
        try {
          await books.accept(transactionHash);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          refused.push({ transactionHash, reason: error.message });
        }
      }
      const lines = refused.map(({ transactionHash, reason }) => `Not booked: ${transactionHash}: ${reason}`);
      const text = [`Booked ${hashes.length - refused.length} of ${hashes.length} transactions.`, ...lines];
      text.push(`Now: npm run chain -- resume ${sayPlace(place)}`);
      const json = { network: which, accepted: hashes.length - refused.length, refused };
      return { text: text.join("\n"), json };
    };
  },
});

function movementJson({ transactionHash, blockNumber, token, from, to, amount }: TokenMovement) {
  return { transactionHash, block: blockNumber.toString(), token, from, to, amount: formatDecimal(amount) };
}

function movementTable(movements: readonly TokenMovement[]): string {
  const rows = movements.map(movementJson).map(({ block, amount, token, from, to, transactionHash }) => {
    return [block, amount, token, from, to, transactionHash];
  });
  return formatTable(["BLOCK", "AMOUNT", "TOKEN", "FROM", "TO", "TRANSACTION"], rows);
}

function readBlock(args: Arguments, option: "from-block" | "to-block"): bigint | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${option} must be a block number.`);
  return BigInt(text);
}

const resume = defineBooksCommand({
  name: "resume",
  summary: "Resume payments after a difference was examined. A remaining difference stops them again.",
  prepare(_args, place) {
    const { environment: which } = place;
    return async (books) => {
      const { difference } = await books.status();
      const resumed = await books.resume();
      const isOff = difference !== undefined && (difference.USDC !== 0n || difference.EURC !== 0n);
      const text = [
        resumed
          ? `Payments on the ${which} network have resumed.`
          : `Payments on the ${which} network were not stopped.`,
        ...(isOff
          ? [
              `But books and chain still disagree, by ${differenceText(difference)}, so the service will stop them again.`,
              `Book what left the wallets first: npm run chain -- accept ${sayPlace(place)} <transactionHash>`,
            ]
          : []),
      ].join("\n");
      return { text, json: { network: which, resumed, booksAgree: difference === undefined ? null : !isOff } };
    };
  },
});

function readHash(text: string): Hex {
  const [, digits] = /^0x([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (digits === undefined) throw new UsageError("<transactionHash> must be 0x and 64 hexadecimal digits.");
  return `0x${digits.toLowerCase()}`;
}

/** Gas in the chain's coin, truncated after six places. */
function gasText(wei: bigint): string {
  return formatDecimal(wei / WEI_PER_MICRO);
}

function differenceText({ USDC, EURC }: NonNullable<BooksStatus["difference"]>): string {
  return `${formatDecimal(USDC)} USDC, ${formatDecimal(EURC)} EURC`;
}

function walletJson({ kind, address, balances, gasWei }: WalletStatus) {
  return {
    kind,
    address,
    usdc: balances === undefined ? null : formatDecimal(balances.USDC),
    eurc: balances === undefined ? null : formatDecimal(balances.EURC),
    gas: gasWei === undefined ? null : gasText(gasWei),
  };
}

function statusJson(found: BooksStatus) {
  const { difference } = found;
  return {
    network: found.environment,
    chainId: found.chainId,
    genesisHash: found.genesisHash,
    answers: found.headBlock !== undefined,
    headBlock: found.headBlock?.toString() ?? null,
    indexedBlock: found.indexedBlock.toString(),
    stoppedBecause: found.stoppedBecause ?? null,
    difference:
      difference === undefined ? null : { usdc: formatDecimal(difference.USDC), eurc: formatDecimal(difference.EURC) },
    treasuries: found.treasuries,
    wallets: found.wallets.map(walletJson),
    openTransactions: {
      queued: found.open.queued,
      signed: found.open.signed,
      oldest: found.open.oldest?.toString() ?? null,
    },
  };
}

function statusText(found: BooksStatus): string {
  const { headBlock, difference, open, stoppedBecause } = found;
  const unknown = "unknown, the network is not answering";
  const oldest = open.oldest === undefined ? "" : `, the oldest of ${open.oldest.toString({ smallestUnit: "second" })}`;
  const facts = formatTable(
    ["network", found.environment],
    [
      ["chain id", String(found.chainId)],
      ["genesis", found.genesisHash],
      ["block", headBlock?.toString() ?? unknown],
      ["in the books up to", found.indexedBlock.toString()],
      ["difference", difference === undefined ? unknown : differenceText(difference)],
      ["money", stoppedBecause === undefined ? "moves" : `STANDS STILL: ${stoppedBecause}`],
      ["transactions", `${open.queued} queued, ${open.signed} signed${oldest}`],
      ["treasuries", String(found.treasuries)],
    ],
  );
  const rows = found.wallets.map(walletJson).map(({ kind, address, usdc, eurc, gas }) => {
    return [kind, address, usdc ?? "?", eurc ?? "?", gas ?? "?"];
  });
  return `${facts}\n\n${formatTable(["WALLET", "ADDRESS", "USDC", "EURC", "GAS"], rows)}`;
}

export const chainProgram: Program<OpenBooks> = {
  name: "chain",
  summary: "Manages the chains that hold this deployment's money.",
  commands: [status, treasury, unknown, accept, acceptUnknown, resume, ...escrowCommands, ...poolCommands],
  notes: [JSON_NOTE],
};

if (import.meta.main) {
  await runAsCommand(chainProgram, (options, work) =>
    work((place, inner) => withBooks(readConfig(process.env), { ...options, ...place }, inner)),
  );
}
