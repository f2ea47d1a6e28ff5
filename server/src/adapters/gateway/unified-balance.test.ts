import { zeroHash } from "viem";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Script, type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import { createHttpClient } from "../../platform/http-client/http-client.ts";
import { TransferRefused, type TransferSpec, type UnifiedBalance } from "../../ports/chain/unified-balance.ts";
import { createUnifiedBalance } from "./index.ts";
import { encodeAttestation } from "./transfer.ts";

const DEPOSITOR: Hex = "0x5c2632cedb167609c7f12e9bbfbc5665cfd66d40";
const WALLET: Hex = "0x0077777d7EBA4688BDeF3E311b846F25870A19B9";
const word = (digits: string): Hex => `0x${digits.repeat(32)}`;
const spec: TransferSpec = {
  sourceDomain: 6,
  destinationDomain: 26,
  sourceContract: word("01"),
  destinationContract: word("02"),
  sourceToken: word("03"),
  destinationToken: word("04"),
  sourceDepositor: word("05"),
  destinationRecipient: word("06"),
  sourceSigner: word("07"),
  destinationCaller: zeroHash,
  value: 1_500_000n,
  salt: word("08"),
  hookData: "0x",
};
const intent = { maxBlockHeight: 2n ** 256n - 1n, maxFee: 20_000n, spec };
const attestation = encodeAttestation({ maxBlockHeight: 77n, spec });
const attested = {
  transferId: "d8f1f9c2-8b4f-4b38-9f5c-4a1f6c3a7f11",
  attestation,
  signature: `0x${"ab".repeat(65)}`,
  fees: { total: "0.010075", token: "USDC", perIntent: [] },
  expirationBlock: "77",
};

let script: Script;
let server: ScriptedServer;
let gateway: UnifiedBalance;
const http = createHttpClient();
beforeEach(async () => {
  server = await startScriptedServer((request, turn) => script(request, turn));
  gateway = createUnifiedBalance({ url: server.url, http, timeoutMilliseconds: 500 });
});
afterEach(() => server.close());

const answer = (json: unknown, status = 200) => {
  script = () => ({ status, json });
};
const failure = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.catch((caught: unknown) => caught);
  if (!(error instanceof Failure)) throw new Error("it did not fail");
  return error;
};

test("reads domains in both shapes, and amounts with more decimals than the token has", async () => {
  const supportedTokens = ["USDC"];
  answer({
    version: 1,
    domains: [
      { chain: "Ethereum", network: "Sepolia", domain: 0, walletContract: WALLET, processedHeight: "9061452" },
      { chain: "Arc", network: "Testnet", domain: 26, walletContract: { address: WALLET, supportedTokens } },
      { chain: "Solana", network: "Devnet", domain: 5 },
    ],
  });
  const walletContract = WALLET.toLowerCase();
  expect(await gateway.readDomains()).toMatchObject([
    { domain: 0, walletContract, processedHeight: 9_061_452n },
    { domain: 26, walletContract, processedHeight: undefined },
    { domain: 5, walletContract: undefined },
  ]);
  answer({
    token: "USDC",
    balances: [{ domain: 6, depositor: DEPOSITOR.toUpperCase().replace("X", "x"), balance: "1.50000099" }],
  });
  expect(await gateway.readBalances(DEPOSITOR, [6])).toEqual(new Map([[6, 1_500_000n]]));
  expect(server.requests.at(-1)?.body).toEqual({ token: "USDC", sources: [{ depositor: DEPOSITOR, domain: 6 }] });
});

test("a balance that is not named is unknown, and not zero", async () => {
  answer({ token: "USDC", balances: [{ domain: 6, depositor: DEPOSITOR, balance: "1" }] });
  expect(await failure(gateway.readBalances(DEPOSITOR, [6, 26]))).toMatchObject({ code: "unavailable" });
  answer({ token: "USDC", balances: [{ domain: 6, depositor: WALLET, balance: "1" }] });
  expect(await failure(gateway.readBalances(DEPOSITOR, [6]))).toMatchObject({ code: "unavailable" });
});

test("sends an intent as the public API has it, and takes the attestation of exactly these terms", async () => {
  answer(attested, 201);
  expect(await gateway.transfer(intent, "0x12")).toEqual({
    transferId: attested.transferId,
    attestation,
    signature: attested.signature,
    fee: 10_075n,
    expirationBlock: 77n,
  });
  expect(server.requests[0]?.body).toEqual([
    {
      burnIntent: {
        maxBlockHeight: String(intent.maxBlockHeight),
        maxFee: "20000",
        spec: { version: 1, ...spec, value: "1500000" },
      },
      signature: "0x12",
    },
  ]);
  const elsewhere = encodeAttestation({ maxBlockHeight: 77n, spec: { ...spec, destinationRecipient: word("09") } });
  for (const wrong of [{ attestation: elsewhere }, { attestation: "0x12" }, { fees: { total: "0.020001" } }]) {
    answer({ ...attested, ...wrong }, 201);
    expect(await failure(gateway.transfer(intent, "0x12"))).toMatchObject({ code: "unavailable" });
  }
});

test("a refusal is final, and a lost answer is not sent again by itself", async () => {
  answer({ success: false, message: "Insufficient\nbalance" }, 400);
  await expect(gateway.transfer(intent, "0x12")).rejects.toThrow(new TransferRefused("Insufficient balance"));
  for (const said of ["reset", "hang", { status: 502 }] as const) {
    server.requests.length = 0;
    script = () => said;
    expect(await failure(gateway.transfer(intent, "0x12"))).toMatchObject({ code: "unavailable" });
    expect(server.requests).toHaveLength(1);
  }
});

test("reads the status of a transfer, and the fee of one to come", async () => {
  answer({ status: "confirmed" });
  expect(await gateway.findStatus("abc")).toBe("confirmed");
  answer({}, 404);
  expect(await gateway.findStatus("abc")).toBeUndefined();
  answer({ status: "lost" });
  expect(await failure(gateway.findStatus("abc"))).toMatchObject({ code: "unavailable" });
  answer({ body: [], fees: { total: "2.0006", token: "USDC" } });
  expect(await gateway.estimateFee(spec)).toBe(2_000_600n);
  await server.close();
  expect(await failure(gateway.estimateFee(spec))).toMatchObject({ code: "unavailable" });
});
