import { nameChain } from "../../domain/chains/named-chains.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { TransferAnswer } from "../treasury/index.ts";
import type { Transfer } from "./transfers.ts";

const decimal = (amount: Micro | null): string | null => (amount === null ? null : formatDecimal(amount));

export function describeTransfer(transfer: Transfer): TransferAnswer {
  const { environment, kind } = transfer;
  return {
    transferId: transfer.id,
    kind,
    status: transfer.status,
    from: describeEnd(transfer.fromChain, environment),
    to: describeEnd(transfer.toChain, environment),
    token: transfer.token,
    amountSent: formatDecimal(transfer.amount),
    fee: decimal(transfer.fee),
    amountReceived: decimal(transfer.received),
    receivedToken: transfer.receivedToken,
    expectedBy: transfer.expectedBy.toString(),
    txHashes: transfer.steps.map(({ step, chain, txHash }) => ({ step, chain: nameChain(chain), txHash })),
    waiting: transfer.waiting,
  };
}

const readChainId = (chain: string): number => Number(chain.slice(chain.indexOf(":") + 1));

function describeEnd(chain: string, environment: Transfer["environment"]): TransferAnswer["from"] {
  return { name: nameChain(chain), chainId: readChainId(chain), isEmulated: environment === "sandbox" };
}
