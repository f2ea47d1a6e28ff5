import { type Decorators, decorateChains } from "../../../server/src/decorate.ts";
import type { Stores } from "../../../server/src/kernel/contracts/whole.ts";
import type { ChainTransactions } from "../../../server/src/modules/chain/sending/chain-transactions.ts";
import type { ChainKey } from "../../../server/src/ports/chain/chain-key.ts";
import type { ChainSender } from "../../../server/src/ports/chain/chain-sender.ts";
import type { ChainTransaction } from "../../../server/src/ports/chain/chain-transactions.ts";

/**
 * Transactions signed by a dead process are signed again under a new nonce, without checking for a receipt or for an
 * escrow step already taken.
 */
export function withoutChainLookUp(): Pick<Decorators, "stores" | "chains"> {
  const senders = new Map<string, ChainSender>();
  return {
    chains: (chains) =>
      decorateChains(chains, (openedChain) => {
        senders.set(nameKey(openedChain.chain.key), openedChain.sender);
        return { ...openedChain, sender: withoutFindingSteps(openedChain.sender) };
      }),
    stores: (stores): Stores => ({
      ...stores,
      chainTransactions: signingAgain(stores.chainTransactions, (chain) => senders.get(nameKey(chain))),
    }),
  };
}

const nameKey = ({ environment, chain }: ChainKey): string => `${environment} ${chain}`;

function withoutFindingSteps(sender: ChainSender): ChainSender {
  return {
    ...sender,
    authorization: async (transaction) =>
      transaction.operation.kind === "escrow" ? { kind: "none" } : await sender.authorization(transaction),
  };
}

function signingAgain(
  transactions: ChainTransactions,
  findSender: (chain: ChainKey) => ChainSender | undefined,
): ChainTransactions {
  /** Signed by this process, which looks after them as it should. */
  const own = new Set<string>();

  async function requeueBlindly(transaction: ChainTransaction): Promise<void> {
    const { id, hash, step, nonce } = transaction;
    const sender = findSender(transaction);
    if (sender === undefined || hash === undefined || nonce === undefined) return;
    const next = await sender.relayerNonce();
    // A gap in the nonces would keep all later ones.
    if (nonce >= next) return;
    await transactions.raiseNonce(sender.relayerWalletId, next);
    await transactions.requeue(id, hash, step);
  }

  return {
    ...transactions,
    async sign(signerWalletId, signings) {
      for (const { id } of signings) own.add(id);
      return transactions.sign(signerWalletId, signings);
    },
    async listOpen(chain, limit) {
      const open = await transactions.listOpen(chain, limit);
      const strangers = open.filter(({ id, state }) => state === "signed" && !own.has(id));
      for (const transaction of strangers) await requeueBlindly(transaction);
      return strangers.length === 0 ? open : await transactions.listOpen(chain, limit);
    },
  };
}
