import { z } from "zod";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { tokenSymbols } from "../../../domain/tokens.ts";
import type { Environment } from "../../../ports/identity.ts";

declare module "../../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    /** Made by the module that moves the money: the treasury only shows it. */
    "treasury.transfersOverChains": TransfersOverChains;
  }
}

interface TransfersOverChains {
  find(owner: { tenantId: string; environment: Environment }, transferId: string): Promise<TransferAnswer | undefined>;
  /** Those that have not ended, oldest first. */
  listOpen(owner: { tenantId: string; environment: Environment }): Promise<readonly TransferAnswer[]>;
}

/** As the interface names it, otherwise by CAIP-2. */
const ChainLabel = /^[\w:-]{1,41}$/;

const ChainEnd = z.object({
  name: z.string().regex(ChainLabel),
  chainId: z.number(),
  isEmulated: z.boolean().describe("True: a development chain with the real chain's id"),
});

const TransferStatus = z.enum(["submitted", "burned", "attested", "minted", "completed", "failed"]);

/** How far a transfer from one chain to another has got. */
export const TransferAnswer = z.object({
  transferId: z.string().describe("For read_transaction"),
  kind: z.string(),
  status: TransferStatus.describe("completed and failed are final; burned money always arrives eventually"),
  from: ChainEnd,
  to: ChainEnd,
  token: z.enum(tokenSymbols),
  amountSent: DecimalAmount,
  fee: DecimalAmount.nullable().describe("Fee deducted on the way; null: not known yet"),
  amountReceived: DecimalAmount.nullable(),
  receivedToken: z.enum(tokenSymbols),
  expectedBy: z.string(),
  txHashes: z
    .array(z.object({ step: z.string(), chain: z.string().regex(ChainLabel), txHash: z.string().nullable() }))
    .readonly(),
  waiting: z.string().nullable().describe("Why it is waiting or failed; null: it is progressing"),
});
export type TransferAnswer = z.output<typeof TransferAnswer>;
