import { formatDecimal, type Micro } from "../../domain/money.ts";
import { findChainById, nameAtGateway } from "../../ports/chain/named-chains.ts";
import type { TransferAnswer } from "../treasury/index.ts";
import type { Transfer } from "./transfers.ts";

const decimal = (amount: Micro | null): string | null => (amount === null ? null : formatDecimal(amount));

export function describeTransfer(transfer: Transfer): TransferAnswer {
  const { environment, kind } = transfer;
  return {
    transferId: transfer.id,
    kind,
    status: transfer.status,
    from: describeEnd(transfer.fromChain, kind, environment),
    to: describeEnd(transfer.toChain, kind, environment),
    token: transfer.token,
    amountSent: formatDecimal(transfer.amount),
    fee: decimal(transfer.fee),
    amountReceived: decimal(transfer.received),
    receivedToken: transfer.receivedToken,
    expectedBy: transfer.expectedBy.toString(),
    txHashes: transfer.steps.map(({ step, chain, txHash }) => ({ step, chain: nameChain(chain, kind), txHash })),
    waiting: transfer.waiting,
  };
}

const readChainId = (chain: string): number => Number(chain.slice(chain.indexOf(":") + 1));

/** As the tools of its kind name it. */
function nameChain(chain: string, kind: string): string {
  const name = findChainById(readChainId(chain))?.name ?? chain;
  return kind === "gateway" ? nameAtGateway(name) : name;
}

function describeEnd(chain: string, kind: string, environment: Transfer["environment"]): TransferAnswer["from"] {
  return { name: nameChain(chain, kind), chainId: readChainId(chain), isEmulated: environment === "sandbox" };
}
