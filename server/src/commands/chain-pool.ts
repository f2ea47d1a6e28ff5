import { formatDecimal } from "../domain/money.ts";
import { tokenSymbols } from "../domain/tokens.ts";
import type { PoolStatus } from "./books.ts";
import { type BooksCommand, defineBooksCommand } from "./chain-place.ts";
import { formatTable } from "./command-line.ts";

/** A pool's rates have 18 decimals. */
const TO_MICRO = 10n ** 12n;
const OWNER_KEY = "owner-key-file";

const show = defineBooksCommand({
  name: "pool",
  summary: "Show the swap pool: whether it swaps, its owner, its rates, its limits and its inventory.",
  prepare(_args, place) {
    return async (books) => {
      const found = await books.pool();
      return { text: poolText(found), json: { network: place.environment, ...poolJson(found) } };
    };
  },
});

const change = (name: string, isPaused: boolean, summary: string) =>
  defineBooksCommand({
    name,
    summary,
    usage: `[--${OWNER_KEY} <file>]`,
    options: { [OWNER_KEY]: { type: "string" } },
    prepare(args, { environment: network }) {
      const ownerKeyFile = args.text(OWNER_KEY);
      return async (books) => {
        const { pool, transactionHash } = await books.setPoolPaused(isPaused, ownerKeyFile);
        const state = isPaused ? "swaps nothing" : "swaps";
        const text =
          transactionHash === undefined
            ? `The pool ${pool} was already in this state: it ${state}.`
            : `The pool ${pool} now ${state} (transaction ${transactionHash}).`;
        return { text, json: { network, pool, isPaused, transactionHash: transactionHash ?? null } };
      };
    },
  });

const pause = change(
  "pause-pool",
  true,
  "Pause the swap pool, with its owner's key, until resume-pool. Its owner can still withdraw its inventory. In the sandbox, the service has the key.",
);
const resume = change("resume-pool", false, "Resume the swap pool, with its owner's key.");

function poolJson({ address, owner, isOurQuoter, terms, inventory }: PoolStatus) {
  const tokens = tokenSymbols.map((token) => ({
    token,
    inventory: formatDecimal(inventory[token]),
    available: formatDecimal(terms.tokens[token].available),
    mostPerSwap: formatDecimal(terms.tokens[token].mostPerSwap),
  }));
  return {
    pool: address,
    owner,
    isPaused: terms.isPaused,
    quoter: terms.quoter,
    isOurQuoter,
    spreadBps: Number(terms.spreadBps),
    leastRate: formatDecimal(terms.leastRate / TO_MICRO),
    mostRate: formatDecimal(terms.mostRate / TO_MICRO),
    tokens,
  };
}

function poolText(found: PoolStatus): string {
  const { pool, owner, isPaused, quoter, isOurQuoter, spreadBps, leastRate, mostRate, tokens } = poolJson(found);
  const facts = formatTable(
    ["pool", pool],
    [
      ["owner", owner],
      ["swaps", isPaused ? "PAUSED" : "open"],
      ["quoter", isOurQuoter ? `${quoter}, the relayer` : `${quoter}, NOT THE RELAYER: nothing is swapped`],
      ["spread", `${spreadBps} basis points`],
      ["accepted rates", `${leastRate} to ${mostRate} US dollars for one euro`],
    ],
  );
  const rows = tokens.map(({ token, inventory, available, mostPerSwap }) => [token, inventory, available, mostPerSwap]);
  return `${facts}\n\n${formatTable(["TOKEN", "INVENTORY", "SWAPS CAN TAKE OUT", "MOST IN ONE SWAP"], rows)}`;
}

export const poolCommands: readonly BooksCommand[] = [show, pause, resume];
