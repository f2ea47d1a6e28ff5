// Buys one flight search with a wallet and without an account or key, with the official x402 client, and checks on the chain what it
// cost. Start the service with `npm start`, then in another terminal:
//
//   node_modules/.bin/node examples/paid-fetch.ts [path of quickstart.json]

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { createPublicClient, erc20Abi, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

// A funded development wallet, and the chain that its money is on: `npm start` has written them down.
const quickstart = process.argv[2] ?? resolve(import.meta.dirname, "../.data/quickstart.json");
const { edgeUrl, chain, payer } = JSON.parse(readFileSync(quickstart, "utf8"));
const account = privateKeyToAccount(payer.privateKey);

const client = new x402Client().register("eip155:*", new ExactEvmScheme(account));
// The client pays only in assets that it knows, and this network's USDC is not among them. Here it may spend 0.10 USDC a call.
client.setSpendControls({
  allowedAssets: [{ network: chain.network, asset: chain.usdc, maxAmountPerPayment: "100000" }],
});
const fetchAndPay = wrapFetchWithPayment(fetch, client);

const before = await balance();
const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
const response = await fetchAndPay(`${edgeUrl}/tools/search_flights`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ origin: "LHR", destination: "JFK", departureDate }),
});
const answer = JSON.parse(await response.text());
assert.equal(response.status, 200, `${response.status} ${answer.code}, ${answer.detail}`);
const receipt = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
const spent = before - (await balance());

// The answer, its header and the chain say the same.
assert.equal(answer.paid, true);
assert.equal(receipt.transaction, answer.payment.settlementTx);
assert.equal(spent, 2_000n, `the chain shows ${spent} millionths of a USDC`);

for (const { id, totalAmount, totalCurrency } of answer.result.offers) {
  process.stdout.write(`${id}  ${totalAmount} ${totalCurrency}\n`);
}
process.stdout.write(`paid ${answer.priceUsdc} USDC, settled by ${answer.payment.settlementTx}\n`);

function balance(): Promise<bigint> {
  const node = createPublicClient({ transport: http(chain.rpcUrl) });
  return node.readContract({ address: chain.usdc, abi: erc20Abi, functionName: "balanceOf", args: [account.address] });
}
