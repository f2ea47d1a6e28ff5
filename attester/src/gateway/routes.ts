import { z } from "zod";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import { type Answer, type Question, refuse } from "../http/answer.ts";
import type { StoredTransfer } from "../store.ts";
import { showMicro, TransferRefused, type Transfers } from "./transfers.ts";

const hex = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);
const Word = hex(/^0x[0-9a-fA-F]{64}$/);
const Address = hex(/^0x[0-9a-fA-F]{40}$/);
const Bytes = hex(/^0x(?:[0-9a-fA-F]{2}){0,1024}$/);
const Uint256 = z
  .union([z.string().regex(/^\d{1,78}$/), z.int().min(0)])
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n);
const Domain = z.int().min(0);

const Spec = z.object({
  version: z.literal(1),
  sourceDomain: Domain,
  destinationDomain: Domain,
  sourceContract: Word,
  destinationContract: Word,
  sourceToken: Word,
  destinationToken: Word,
  sourceDepositor: Word,
  destinationRecipient: Word,
  sourceSigner: Word,
  destinationCaller: Word,
  value: Uint256,
  salt: Word,
  hookData: Bytes.default("0x"),
});
const Signed = z.object({
  burnIntent: z.object({ maxBlockHeight: Uint256, maxFee: Uint256, spec: Spec }),
  signature: Bytes,
});
const Balances = z.object({
  token: z.literal("USDC"),
  sources: z
    .array(z.object({ depositor: Address, domain: Domain.optional() }))
    .min(1)
    .max(50),
});
const Estimate = z
  .array(z.object({ spec: Spec }))
  .min(1)
  .max(16);

const TRANSFER = /^\/v1\/transfer\/(?<id>[\w-]{1,60})$/;
const SPEC = /^\/v1\/transferSpec\/(?<hash>0x[0-9a-fA-F]{64})$/;
const FOREVER = String(2n ** 256n - 1n);
const STATUS = { attested: "pending", minted: "confirmed", burned: "finalized", expired: "expired" } as const;

/** The Gateway's part. Undefined: the path is not of this API. */
export async function answerGateway(transfers: Transfers, question: Question): Promise<Answer | undefined> {
  const { method, path, json } = question;
  try {
    if (method === "POST") {
      if (path === "/v1/balances") return await listBalances(transfers, Balances.parse(json));
      // The development chains' blocks are final: no deposit waits.
      if (path === "/v1/deposits") return { status: 200, body: { token: Balances.parse(json).token, deposits: [] } };
      if (path === "/v1/estimate") return estimate(transfers, Estimate.parse(json));
      if (path === "/v1/transfer") return await attest(transfers, z.tuple([Signed]).parse(json)[0]);
      return undefined;
    }
    if (path === "/v1/info") return await describeDomains(transfers);
    const { id } = TRANSFER.exec(path)?.groups ?? {};
    const { hash } = SPEC.exec(path)?.groups ?? {};
    if (id === undefined && hash === undefined) return undefined;
    const found = id === undefined ? transfers.findTransferBySpec(Word.parse(hash)) : transfers.findTransfer(id);
    return found === undefined ? refuse(404, "Transfer not found") : { status: 200, body: describe(found) };
  } catch (error) {
    if (error instanceof TransferRefused) return { status: 400, body: { success: false, message: error.message } };
    if (error instanceof z.ZodError) {
      return { status: 400, body: { success: false, message: z.prettifyError(error).slice(0, 500) } };
    }
    throw error;
  }
}

async function describeDomains({ chains }: Transfers): Promise<Answer> {
  const domains = await Promise.all(
    chains.map(async ({ name, domain, client, gatewayWallet, gatewayMinter }) => {
      const [chain = "", ...network] = name.split("_");
      const height = String(await client.getBlockNumber());
      const contract = (address: Hex) => ({ address, supportedTokens: ["USDC"] });
      return {
        chain,
        network: network.join(" ") || "Testnet",
        domain,
        walletContract: contract(gatewayWallet),
        minterContract: contract(gatewayMinter),
        processedHeight: height,
        burnIntentExpirationHeight: height,
      };
    }),
  );
  return { status: 200, body: { version: 1, domains } };
}

async function listBalances(transfers: Transfers, { token, sources }: z.output<typeof Balances>): Promise<Answer> {
  const wanted = sources.flatMap(({ depositor, domain }) =>
    (domain === undefined ? transfers.chains : [transfers.find(domain)]).map((chain) => ({ chain, depositor })),
  );
  const balances: { domain: number; depositor: Hex; balance: string }[] = [];
  // One after the other: no more chains run for it at once than must.
  for (const { chain, depositor } of wanted) {
    const balance = showMicro(await transfers.readBalance(chain, depositor));
    balances.push({ domain: chain.domain, depositor, balance });
  }
  return { status: 200, body: { token, balances } };
}

function estimate(transfers: Transfers, wanted: z.output<typeof Estimate>): Answer {
  const body = wanted.map(({ spec }) => {
    transfers.find(spec.sourceDomain);
    transfers.find(spec.destinationDomain);
    const maxFee = transfers.computeFee(spec);
    return {
      burnIntent: { maxBlockHeight: FOREVER, maxFee: String(maxFee), spec: { ...spec, value: String(spec.value) } },
    };
  });
  const total = wanted.reduce((sum, { spec }) => sum + transfers.computeFee(spec), 0n);
  return { status: 200, body: { body, fees: { total: showMicro(total), token: "USDC" } } };
}

async function attest(
  transfers: Transfers,
  { burnIntent, signature: intentSignature }: z.output<typeof Signed>,
): Promise<Answer> {
  const { version: _, ...spec } = burnIntent.spec;
  const row = await transfers.attest({ ...burnIntent, spec }, intentSignature);
  const { id: transferId, attestation, signature, fee, specHash, lastBlock } = row;
  const perIntent = [
    { transferSpecHash: specHash, domain: spec.sourceDomain, baseFee: showMicro(fee), transferFee: "0" },
  ];
  const fees = { total: showMicro(fee), token: "USDC", perIntent };
  return { status: 201, body: { transferId, attestation, signature, fees, expirationBlock: String(lastBlock) } };
}

function describe({ id, specHash, state, attestation, signature, lastBlock }: StoredTransfer) {
  return {
    id,
    status: STATUS[state],
    transferSpecHash: specHash,
    attestation,
    signature,
    expirationBlock: String(lastBlock),
  };
}
