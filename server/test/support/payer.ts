import { randomBytes } from "node:crypto";
import { encodeAbiParameters, encodeFunctionData } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { SignedPayment } from "../../src/domain/payments.ts";
import type { Hex } from "../../src/domain/tokens.ts";
import { stablecoinAbi } from "../../src/generated/contracts/stablecoin.ts";
import { mint } from "../../src/modules/chain/development/mint-operation.ts";
import type { ChainToken } from "../../src/ports/chain/chain.ts";
import type { ChainWorld } from "./chain-world.ts";
import { sandboxChain } from "./sandbox-chain.ts";

/** contracts/test/support/ContractWallet.sol: what its keeper signs is signed by it (ERC-1271). */
const WALLET_BYTECODE =
  "0x6080604052348015600e575f5ffd5b506040516102f13803806102f1833981016040819052602b91604e565b5f80546001600160a01b0319166001600160a01b03929092169190911790556079565b5f60208284031215605d575f5ffd5b81516001600160a01b03811681146072575f5ffd5b9392505050565b61026b806100865f395ff3fe608060405234801561000f575f5ffd5b5060043610610034575f3560e01c80631626ba7e14610038578063aced166114610069575b5f5ffd5b61004b61004636600461019b565b610093565b6040516001600160e01b031990911681526020015b60405180910390f35b5f5461007b906001600160a01b031681565b6040516001600160a01b039091168152602001610060565b5f604182146100ab57506001600160e01b0319610194565b5f600185858560408181106100c2576100c2610212565b919091013560f81c90506100d960205f888a610226565b6100e29161024d565b6100f060406020898b610226565b6100f99161024d565b604080515f8152602081018083529590955260ff909316928401929092526060830152608082015260a0016020604051602081039080840390855afa158015610144573d5f5f3e3d5ffd5b5050604051601f1901519150506001600160a01b0381161580159061017557505f546001600160a01b038281169116145b610187576001600160e01b0319610190565b630b135d3f60e11b5b9150505b9392505050565b5f5f5f604084860312156101ad575f5ffd5b83359250602084013567ffffffffffffffff8111156101ca575f5ffd5b8401601f810186136101da575f5ffd5b803567ffffffffffffffff8111156101f0575f5ffd5b866020828401011115610201575f5ffd5b939660209190910195509293505050565b634e487b7160e01b5f52603260045260245ffd5b5f5f85851115610234575f5ffd5b83861115610240575f5ffd5b5050820193919092039150565b80356020831015610265575f19602084900360031b1b165b9291505056";

const AUTHORIZATION = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;

const lower = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase()}`;
export const randomNonce = (): Hex => `0x${randomBytes(32).toString("hex")}`;

export interface SigningOptions {
  amount: bigint;
  nonce?: Hex;
  validBefore?: bigint;
  /** The payer's wrong beliefs about the token. */
  domain?: Partial<{ name: string; version: string; chainId: number; verifyingContract: Hex }>;
  /** Signs instead of the payer's own key. */
  signer?: { signTypedData: ReturnType<typeof privateKeyToAccount>["signTypedData"] };
}

/** Somebody outside who pays: an account with a key, or a contract wallet with a key as its keeper. */
export async function newPayer(world: ChainWorld, funds: bigint, options: { isContract?: boolean } = {}) {
  const { devChain, openedChain } = world;
  const { chain } = openedChain;
  const token: ChainToken = chain.tokens.USDC;
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const address = options.isContract === true ? await deployWallet(world, account.address) : lower(account.address);
  if (funds > 0n) {
    await world.stores.chainTransactions.enqueue({
      ...sandboxChain,
      idempotencyKey: `mint ${randomNonce()}`,
      tenantId: null,
      callId: null,
      purpose: "test",
      operation: mint.of({ token: "USDC", to: address, amount: funds }),
      result: undefined,
    });
    await world.drain();
  }

  return {
    key,
    account,
    address,
    async sign({ amount, nonce = randomNonce(), validBefore, domain, signer = account }: SigningOptions) {
      const payment = {
        network: `eip155:${chain.chainId}`,
        asset: token.address,
        payer: address,
        payTo: openedChain.collection.address,
        amount,
        validAfter: 0n,
        validBefore: validBefore ?? BigInt(Math.floor(Date.now() / 1000) + 3_600),
        nonce,
      };
      const signature = await signer.signTypedData({
        domain: {
          name: token.name,
          version: token.version,
          chainId: chain.chainId,
          verifyingContract: token.address,
          ...domain,
        },
        types: { TransferWithAuthorization: AUTHORIZATION },
        primaryType: "TransferWithAuthorization",
        message: { ...payment, from: payment.payer, to: payment.payTo, value: payment.amount },
      });
      return { ...payment, signature: lower(signature) } satisfies SignedPayment;
    },
    /** The payer cancels an authorization, and somebody else pays the gas for it. */
    async cancel(nonce: Hex) {
      const signature = await account.signTypedData({
        domain: { name: token.name, version: token.version, chainId: chain.chainId, verifyingContract: token.address },
        types: {
          CancelAuthorization: [
            { name: "authorizer", type: "address" },
            { name: "nonce", type: "bytes32" },
          ],
        },
        primaryType: "CancelAuthorization",
        message: { authorizer: address, nonce },
      });
      const data = encodeFunctionData({
        abi: stablecoinAbi,
        functionName: "cancelAuthorization",
        args: [address, nonce, signature],
      });
      return await devChain.sendAs(devChain.funderKey, { to: token.address, data });
    },
    /** Spends its money elsewhere, with its own gas. */
    async spend(to: Hex, amount: bigint) {
      await devChain.sendAs(devChain.funderKey, { to: address, value: 10n ** 18n });
      const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "transfer", args: [to, amount] });
      await devChain.sendAs(key, { to: token.address, data });
    },
  };
}

/** The call that anybody can make who has seen the payment. */
export function buildBroadcast(payment: SignedPayment): { to: Hex; data: Hex } {
  const { asset, payer, payTo, amount, validAfter, validBefore, nonce, signature } = payment;
  const data = encodeFunctionData({
    abi: stablecoinAbi,
    functionName: "transferWithAuthorization",
    args: [payer, payTo, amount, validAfter, validBefore, nonce, signature],
  });
  return { to: asset, data };
}

async function deployWallet({ devChain }: ChainWorld, keeper: Hex): Promise<Hex> {
  const account = privateKeyToAccount(devChain.funderKey);
  const nonce = await devChain.client.getTransactionCount({ address: account.address });
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const data: Hex = `${WALLET_BYTECODE}${encodeAbiParameters([{ type: "address" }], [keeper]).slice(2)}`;
  const rest = { type: "eip1559", chainId: devChain.chainId, nonce, gas: 1_000_000n, data } as const;
  const hash = await devChain.client.sendRawTransaction({
    serializedTransaction: await account.signTransaction({ ...rest, ...fees }),
  });
  await devChain.mine();
  const { contractAddress } = await devChain.client.getTransactionReceipt({ hash });
  if (contractAddress == null) throw new Error("no wallet was deployed");
  return lower(contractAddress);
}

/** The input that settles one payment, as a paid call stores it. */
export function paymentInput(payment: SignedPayment) {
  const { payTo, payer, amount, validAfter, validBefore, nonce, signature } = payment;
  const authorization = { from: payer, amount, validAfter, validBefore, nonce, signature };
  return { token: "USDC" as const, to: payTo, ...authorization };
}
