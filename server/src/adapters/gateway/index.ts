import { z } from "zod";
import { formatDecimal, type Micro, parseDecimal } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import { createJsonService, type JsonService } from "../../platform/http-client/json-service.ts";
import {
  type BurnIntent,
  TransferRefused,
  type TransferSpec,
  type UnifiedBalance,
} from "../../ports/chain/unified-balance.ts";
import { burnIntentMessage, decodeAttestation, hashTransferSpec } from "./transfer.ts";

interface UnifiedBalanceOptions {
  /** The public API, or the attester of the development chains; without a trailing slash. */
  url: string | (() => Promise<string>);
  http: HttpClient;
  timeoutMilliseconds?: number;
}

const TIMEOUT_MILLISECONDS = 10_000;
const SPEC_VERSION = 1;
const LONGEST_REASON = 200;

const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);
const Bytes = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/)
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);
const Height = z.union([z.string().regex(/^\d{1,78}$/), z.int().min(0)]).transform(BigInt);
/** More decimals than the token has are cut off. */
const Decimal = z
  .string()
  .regex(/^\d{1,20}(?:\.\d{1,18})?$/)
  .transform((text, context): Micro => {
    const micro = parseDecimal(text.replace(/(\.\d{6})\d+$/, "$1"));
    if (micro !== undefined) return micro;
    context.addIssue({ code: "custom", message: "no amount" });
    return z.NEVER;
  });
/** An address alone, or with the tokens that it takes. */
const Contract = z.union([Address, z.object({ address: Address }).transform(({ address }) => address)]);

const Info = z.object({
  domains: z.array(
    z.object({
      domain: z.int().min(0),
      walletContract: Contract.optional(),
      minterContract: Contract.optional(),
      processedHeight: Height.optional(),
    }),
  ),
});
const Balances = z.object({
  token: z.literal("USDC"),
  balances: z.array(z.object({ domain: z.int(), depositor: Address, balance: Decimal })),
});
const Estimate = z.object({ fees: z.object({ total: Decimal }) });
const Attested = z.object({
  transferId: z.string().regex(/^[\w-]{1,100}$/),
  attestation: Bytes,
  signature: Bytes,
  fees: z.object({ total: Decimal }),
  expirationBlock: Height.optional(),
});
const Refused = z.object({ message: z.string() });
const Status = z.object({ status: z.enum(["pending", "confirmed", "finalized", "failed", "expired"]) });

/** The API of Circle's Gateway, over HTTP. */
export function createUnifiedBalance({
  url,
  http,
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
}: UnifiedBalanceOptions): UnifiedBalance {
  const service = createJsonService({ url, http, timeoutMilliseconds, title: "The Gateway" });
  const read = async <Output>(path: string, schema: z.ZodType<Output>, json?: unknown): Promise<Output> => {
    const method = json === undefined ? "GET" : "POST";
    const { value } = await service.ask({ method, path, json, mayRepeat: true, accepts: [200] });
    return requireShape(service, path, schema, value);
  };

  return {
    async readDomains() {
      const { domains } = await read("/v1/info", Info);
      return domains.map(({ domain, walletContract, minterContract, processedHeight }) => ({
        domain,
        walletContract,
        minterContract,
        processedHeight,
      }));
    },

    async readBalances(depositor, domains) {
      const sources = domains.map((domain) => ({ depositor, domain }));
      const { balances } = await read("/v1/balances", Balances, { token: "USDC", sources });
      const owner = depositor.toLowerCase();
      const found = new Map(
        balances.filter((one) => one.depositor === owner).map(({ domain, balance }) => [domain, balance]),
      );
      const missing = domains.find((domain) => !found.has(domain));
      if (missing !== undefined) throw service.refuseAnswer(`it names no balance in domain ${missing}`);
      return found;
    },

    estimateFee: async (spec) => (await read("/v1/estimate", Estimate, [{ spec: describeSpec(spec) }])).fees.total,

    async transfer(intent, signature) {
      const path = "/v1/transfer";
      const json = [{ burnIntent: describeIntent(intent), signature }];
      const { status, value } = await service.ask({
        method: "POST",
        path,
        json,
        mayRepeat: false,
        accepts: [200, 201, 400, 409, 422],
      });
      if (status >= 400) throw new TransferRefused(readReason(value));
      const { fees, ...attested } = requireShape(service, path, Attested, value);
      requireTerms(service, attested.attestation, intent, fees.total);
      return {
        transferId: attested.transferId,
        attestation: attested.attestation,
        signature: attested.signature,
        fee: fees.total,
        expirationBlock: attested.expirationBlock,
      };
    },

    hashTerms: hashTransferSpec,
    messageToSign: burnIntentMessage,

    async isKnown(specHash) {
      const path = `/v1/transferSpec/${specHash}`;
      const { status } = await service.ask({ method: "GET", path, mayRepeat: true, accepts: [200, 404] });
      return status === 200;
    },

    async findStatus(transferId) {
      const path = `/v1/transfer/${encodeURIComponent(transferId)}`;
      const { status, value } = await service.ask({ method: "GET", path, mayRepeat: true, accepts: [200, 404] });
      return status === 404 ? undefined : requireShape(service, path, Status, value).status;
    },
  };
}

function requireShape<Output>(service: JsonService, path: string, schema: z.ZodType<Output>, value: unknown): Output {
  const read = schema.safeParse(value);
  if (!read.success) throw service.refuseAnswer(`the answer of ${path} cannot be read`);
  return read.data;
}

/** An attestation of other terms would pay somebody else, or be refused by the minter. */
function requireTerms(service: JsonService, attestation: Hex, { spec, maxFee }: BurnIntent, fee: Micro): void {
  if (fee > maxFee) throw service.refuseAnswer(`it takes ${formatDecimal(fee)}, more than was signed`);
  try {
    if (hashTransferSpec(decodeAttestation(attestation).spec) === hashTransferSpec(spec)) return;
  } catch {
    // It is no attestation of one transfer.
  }
  throw service.refuseAnswer("it attests other terms than were signed");
}

const describeIntent = ({ maxBlockHeight, maxFee, spec }: BurnIntent) => ({
  maxBlockHeight: String(maxBlockHeight),
  maxFee: String(maxFee),
  spec: describeSpec(spec),
});

const describeSpec = (spec: TransferSpec) => ({ version: SPEC_VERSION, ...spec, value: String(spec.value) });

const readReason = (value: unknown): string =>
  Refused.safeParse(value).data?.message.replace(/\s+/g, " ").slice(0, LONGEST_REASON) ?? "it gives no reason";
