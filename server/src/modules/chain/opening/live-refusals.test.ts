import { encodeAbiParameters, encodeFunctionData, parseAbi } from "viem";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { DEAD_PORT } from "../../../../test/support/dead-port.ts";
import type { RpcCall } from "../../../../test/support/dev-chain.ts";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  startLiveChain,
} from "../../../../test/support/live-service.ts";

/** An invalid configuration of a live network ends the start with one line, before anything is stored for good. */
let chain: LiveChain;
let deployment: LiveDeployment;
// One shared database: a refused start stores no settings in it, so that the last test starts on it with the right ones.
beforeAll(async () => {
  chain = await startLiveChain();
  deployment = await createLiveDeployment(chain, { url: "http://127.0.0.1:9", token: "none" });
});
afterAll(async () => {
  await deployment[Symbol.asyncDispose]();
  await chain.close();
});
afterEach(() => chain.behave());

/** Without a supplier sandbox and a development chain: only the live chain is tested here. */
const ALONE = { EMBEDDED_SANDBOX: "off" };
const refuse = (change: Readonly<Record<string, string>>) => deployment.refuse({ ...ALONE, ...change });
const chainSettings = ({ url, tokens, splitter }: LiveChain) => ({
  CHAIN_RPC_URL: url,
  CHAIN_USDC: tokens.USDC,
  CHAIN_EURC: tokens.EURC,
  CHAIN_SPLITTER: splitter,
});
const oneLine = /^Not started: [^\n]+\.$/;

const questions = parseAbi([
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
]);
type Question = "name" | "version" | "decimals" | "symbol";

/** The token gives a different answer to one question. */
function pretend(functionName: Question, answer: string | number): void {
  const data = encodeFunctionData({ abi: questions, functionName });
  const result =
    typeof answer === "number"
      ? encodeAbiParameters([{ type: "uint8" }], [answer])
      : encodeAbiParameters([{ type: "string" }], [answer]);
  chain.misbehave(({ method, params }: RpcCall) => {
    const asked = JSON.stringify(params[0] ?? {}).toLowerCase();
    const isIt = method === "eth_call" && asked.includes(data) && asked.includes(chain.tokens.USDC.toLowerCase());
    return isIt ? { result } : "pass";
  });
}

it.each<[Question, string | number, RegExp]>([
  ["name", "USD Coin (bridged)", /signs with another EIP-712 domain than "USD Coin \(bridged\)", version "2"/],
  ["version", "1", /signs with another EIP-712 domain than "USD Coin", version "1"/],
  ["decimals", 18, /has 18 decimals, not 6: check the token's address/],
  ["symbol", "USDT", /calls itself USDT: check the token's address/],
])("a token whose %s is %s", async (question, answer, message) => {
  pretend(question, answer);
  const line = await refuse({});
  expect(line).toMatch(oneLine);
  expect(line).toMatch(message);
  expect(await deployment.sql("select * from chain_network")).toEqual([]);
});

it.each<[string, () => Promise<Record<string, string>> | Record<string, string>, RegExp]>([
  [
    "the two tokens exchanged",
    () => ({ CHAIN_USDC: chain.tokens.EURC, CHAIN_EURC: chain.tokens.USDC }),
    /calls itself/,
  ],
  [
    "no contract at the address",
    () => ({ CHAIN_USDC: `0x${"1".repeat(40)}` }),
    /does not answer .*: check the token's/,
  ],
  [
    "a contract that is no token",
    () => ({ CHAIN_EURC: chain.splitter }),
    /does not answer .*: check the token's address/,
  ],
  [
    "nobody at the RPC URL",
    () => ({ CHAIN_RPC_URL: `http://127.0.0.1:${DEAD_PORT}` }),
    /the live chain does not answer\. Check CHAIN_RPC_URL/,
  ],
  [
    "a key that everybody knows",
    () => ({
      CHAIN_RELAYER_KEY_FILE: deployment.writeKey(
        "known.key",
        "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
      ),
    }),
    /The key of 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 is publicly known/,
  ],
  [
    "a key found by counting",
    () => ({ CHAIN_RELAYER_KEY_FILE: deployment.writeKey("one.key", "1".padStart(64, "0")) }),
    /is publicly known and is refused on a live network/,
  ],
  [
    "a relayer's file that is no key",
    () => ({ CHAIN_RELAYER_KEY_FILE: deployment.writeKey("bad.key", "not a key") }),
    /CHAIN_RELAYER_KEY_FILE \(.*bad\.key\) does not hold 32 bytes/,
  ],
  [
    "no relayer's file",
    () => ({ CHAIN_RELAYER_KEY_FILE: "/nonexistent/key" }),
    /CHAIN_RELAYER_KEY_FILE .* cannot be read/,
  ],
  ["a splitter that is no contract", () => ({ CHAIN_SPLITTER: `0x${"2".repeat(40)}` }), /check CHAIN_SPLITTER/],
  ["a splitter that is another contract", () => ({ CHAIN_SPLITTER: chain.tokens.USDC }), /check CHAIN_SPLITTER/],
  [
    "a payment batch that is no contract",
    () => ({ CHAIN_PAYMENT_BATCH: `0x${"2".repeat(40)}` }),
    /check CHAIN_PAYMENT_BATCH/,
  ],
  [
    "a payment batch that is another contract",
    () => ({ CHAIN_PAYMENT_BATCH: chain.tokens.USDC }),
    /check CHAIN_PAYMENT_BATCH/,
  ],
  ["an escrow that is no contract", () => ({ CHAIN_ESCROW: `0x${"2".repeat(40)}` }), /check CHAIN_ESCROW/],
  ["an escrow that is another contract", () => ({ CHAIN_ESCROW: chain.tokens.USDC }), /check CHAIN_ESCROW/],
  [
    "an escrow of another token",
    async () => ({ CHAIN_ESCROW: await chain.deployEscrow({ token: chain.tokens.EURC }) }),
    /keeps the token 0x[0-9a-f]{40}, not 0x[0-9a-f]{40}: check CHAIN_ESCROW and CHAIN_USDC/,
  ],
  [
    "an escrow that somebody else operates",
    async () => ({ CHAIN_ESCROW: await chain.deployEscrow({ operator: `0x${"3".repeat(40)}` }) }),
    /is operated by 0x3{40}, not 0x[0-9a-f]{40}: have its owner set that, or check CHAIN_ESCROW/,
  ],
])("%s", async (_what, change, message) => {
  const line = await refuse(await change());
  expect(line).toMatch(oneLine);
  expect(line).toMatch(message);
  expect(line).not.toMatch(/ac0974bec|not a key/);
  expect(await deployment.sql("select * from chain_network")).toEqual([]);
});

it("names every missing variable, before it connects anywhere", async () => {
  const missing = ["CHAIN_RPC_URL", "CHAIN_USDC", "CHAIN_RELAYER_KEY_FILE", "MASTER_KEY_FILE"];
  const change = Object.fromEntries(missing.map((name) => [name, ""]));
  await expect(refuse(change)).rejects.toThrow(`NETWORK_MODE=production also needs ${missing.join(", ")}`);
});

it("a node that answers only with errors", async () => {
  chain.misbehave(() => "500");
  expect(await refuse({})).toMatch(/the live chain does not answer\. Check CHAIN_RPC_URL/);
});

it("another chain, other tokens or another relayer than the database belongs to", async () => {
  // The refusals above left nothing behind: with the right settings it starts.
  await (await deployment.start(ALONE)).stop();
  const [before] = await deployment.sql("select * from chain_network");
  const other = await startLiveChain(chain.chainId);
  try {
    const sameId = chainSettings(other);
    expect(await refuse(sameId)).toMatch(/the live chain \(CHAIN_RPC_URL\) has another genesis/);
  } finally {
    await other.close();
  }
  const third = await startLiveChain(chain.chainId + 1);
  try {
    const otherId = chainSettings(third);
    expect(await refuse(otherId)).toMatch(/has chain id 5042100, and this database belongs to 5042099/);
  } finally {
    await third.close();
  }
  const again = await chain.deployToken("USD Coin", "USDC", "USD");
  expect(await refuse({ CHAIN_USDC: again })).toMatch(/this database's money is in the tokens/);
  const key = deployment.writeKey("other.key", `0x${"7a".repeat(32)}`);
  expect(await refuse({ CHAIN_RELAYER_KEY_FILE: key })).toMatch(
    /CHAIN_RELAYER_KEY_FILE does not contain the key of 0x/,
  );
  expect(await deployment.sql("select network, chain_id, genesis_hash, contracts from chain_network")).toEqual([
    expect.objectContaining({ genesis_hash: before?.genesis_hash, contracts: before?.contracts }),
  ]);
  await (await deployment.start(ALONE)).stop();
});
