import { serve } from "@hono/node-server";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme as FacilitatorScheme } from "@x402/evm/exact/facilitator";
import { ExactEvmScheme as ServerScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/hono";
import { Hono } from "hono";
import { createPublicClient, encodeFunctionData, http, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";

/**
 * The baseline of the paid surface: the stock Hono middleware with the stock facilitator in the same process, on the chain it is
 * told, selling a tool that answers its text. Its signer gets all that a careful operator would give it: a nonce of its own, gas
 * and fees without questions, one transaction after another into the mempool and a short wait between two looks at a receipt.
 */
const hex = z.templateLiteral(["0x", z.string().regex(/^[0-9a-fA-F]*$/)]);
const options = z
  .object({
    RPC_URL: z.url(),
    CHAIN_ID: z.coerce.number(),
    ASSET: hex,
    ASSET_NAME: z.string(),
    ASSET_VERSION: z.string(),
    PAY_TO: hex,
    GAS_KEY: hex,
    PRICE: z.string(),
  })
  .parse(process.env);

const GAS = 300_000n;
const FEES = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const RECEIPT_POLL_MILLISECONDS = 5;
const Fields = z.array(z.object({ name: z.string(), type: z.string() }));
const Types = z.object({ TransferWithAuthorization: Fields });
const transferAbi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
]);

const network = `eip155:${options.CHAIN_ID}` as const;
const account = privateKeyToAccount(options.GAS_KEY);
const client = createPublicClient({ transport: http(options.RPC_URL), pollingInterval: RECEIPT_POLL_MILLISECONDS });
let nonce = await client.getTransactionCount({ address: account.address });
let last: Promise<unknown> = Promise.resolve();

function send(to: `0x${string}`, data: `0x${string}`): Promise<`0x${string}`> {
  const work = async () => {
    const shape = { type: "eip1559", chainId: options.CHAIN_ID, nonce, gas: GAS, to, data, ...FEES } as const;
    const hash = await client.sendRawTransaction({ serializedTransaction: await account.signTransaction(shape) });
    nonce += 1;
    return hash;
  };
  const mine = last.then(work, work);
  last = mine;
  return mine;
}

const facilitator = new x402Facilitator().register(
  network,
  new FacilitatorScheme(
    toFacilitatorEvmSigner({
      address: account.address,
      readContract: (args) => client.readContract({ ...args, args: args.args ?? [] }),
      verifyTypedData: (args) => client.verifyTypedData({ ...args, types: Types.parse(args.types) }),
      async writeContract({ address, functionName, args }) {
        const name = z.literal("transferWithAuthorization").parse(functionName);
        return await send(address, encodeCall(name, args));
      },
      sendTransaction: ({ to, data }) => send(to, data),
      waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
      getCode: (args) => client.getCode(args),
    }),
  ),
);

function encodeCall(functionName: "transferWithAuthorization", args: readonly unknown[]): `0x${string}` {
  const [from, to, value, validAfter, validBefore, authorization, ...signature] = args;
  const shared = z.tuple([hex, hex, z.bigint(), z.bigint(), z.bigint(), hex]);
  const terms = shared.parse([from, to, value, validAfter, validBefore, authorization]);
  const [first, second, third] = signature;
  if (signature.length === 1) {
    return encodeFunctionData({ abi: transferAbi, functionName, args: [...terms, hex.parse(first)] });
  }
  const [v, r, s] = [z.coerce.number().parse(first), hex.parse(second), hex.parse(third)];
  return encodeFunctionData({ abi: transferAbi, functionName, args: [...terms, v, r, s] });
}

const resources = new x402ResourceServer({
  verify: (payload, requirements) => facilitator.verify(payload, requirements),
  settle: (payload, requirements) => facilitator.settle(payload, requirements),
  getSupported: async () => {
    const { kinds, ...rest } = facilitator.getSupported();
    return { ...rest, kinds: kinds.map((kind) => ({ ...kind, network })) };
  },
}).register(network, new ServerScheme());

const price = {
  asset: options.ASSET,
  amount: options.PRICE,
  extra: { name: options.ASSET_NAME, version: options.ASSET_VERSION },
};
const app = new Hono();
app.use(
  paymentMiddleware(
    {
      "POST /tools/[tool]": {
        accepts: { scheme: "exact", network, payTo: options.PAY_TO, price, maxTimeoutSeconds: 120 },
      },
    },
    resources,
  ),
);
app.post("/tools/:tool", async (context) => {
  const { text } = z.strictObject({ text: z.string().max(1000) }).parse(await context.req.json());
  return context.json({ tool: context.req.param("tool"), result: { text } });
});

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
