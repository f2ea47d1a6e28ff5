import { randomBytes } from "node:crypto";
import { encodeFunctionData, parseTransaction } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createClaimKeys } from "../../src/adapters/evm/index.ts";
import type { Hex } from "../../src/domain/tokens.ts";
import { stablecoinAbi } from "../../src/generated/contracts/stablecoin.ts";
import { tripEscrowAbi } from "../../src/generated/contracts/trip-escrow.ts";
import { mint } from "../../src/modules/chain/development/mint-operation.ts";
import type { EscrowAction } from "../../src/modules/escrow/step-machine/escrow-action.ts";
import { escrowStep } from "../../src/modules/escrow/step-machine/step-operation.ts";
import { tripPrefund } from "../../src/modules/escrow/trips/prefund-operation.ts";
import type { StoredOperation } from "../../src/ports/chain/chain-operation.ts";
import type { ChainTransaction } from "../../src/ports/chain/chain-transactions.ts";
import type { TripTerms } from "../../src/ports/chain/escrow-contract.ts";
import { type ChainWorld, UNIT } from "./chain-world.ts";
import { sandboxChain } from "./sandbox-chain.ts";

export type EscrowTenant = Awaited<ReturnType<ChainWorld["newTenant"]>>;

export const hash32 = (): Hex => `0x${randomBytes(32).toString("hex")}`;
export const address20 = (): Hex => `0x${randomBytes(20).toString("hex")}`;

const AUTHORIZATION = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;
/** The size of code that makes one call. */
const CALL_BYTES = 44;
const SECONDS_PER_HOUR = 3_600n;

/** Replaces the tools of trips: orders are stored and executed, without a mirror of the trips. */
export function openEscrowOrders(world: ChainWorld) {
  const { chain } = world.openedChain;
  const escrow = requireThere(chain.escrow);
  const claimKeys = createClaimKeys(world.vault);
  const nowSeconds = () => BigInt(Math.floor(world.clock.now().epochMilliseconds / 1_000));

  function buildTerms(tenant: EscrowTenant, change: Partial<TripTerms> = {}): TripTerms {
    return {
      funder: tenant.wallet.address,
      budget: 50n * UNIT,
      expiresAt: nowSeconds() + SECONDS_PER_HOUR,
      claimSigner: claimKeys.signerAddress(hash32()),
      metadataHash: hash32(),
      salt: hash32(),
      ...change,
    };
  }

  const prefundOperation = (terms: TripTerms) => ({
    operation: tripPrefund,
    input: { token: "USDC" as const, escrow: escrow.address, tripId: escrow.tripId(terms), terms },
  });

  const stepOperation = (tripId: Hex, action: EscrowAction) =>
    escrowStep.of({ token: "USDC", escrow: escrow.address, tripId, action });

  const store = (operation: StoredOperation): Promise<ChainTransaction> =>
    world.stores.chainTransactions.enqueue({
      ...sandboxChain,
      tenantId: null,
      callId: null,
      purpose: "test",
      operation,
      result: undefined,
      idempotencyKey: hash32(),
    });

  /** Its end. */
  async function execute(operation: StoredOperation): Promise<ChainTransaction> {
    const { id } = await store(operation);
    await world.drain();
    return requireThere(await world.stores.chainTransactions.get(id));
  }

  const act = (tripId: Hex, action: EscrowAction): Promise<ChainTransaction> => execute(stepOperation(tripId, action));

  return {
    escrow,
    /** The contract call in a stored order's signed transaction that the node never saw; others can send it too. */
    async withheld(order: () => Promise<unknown>): Promise<{ id: string; to: Hex; data: Hex }> {
      world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "reset" : "pass"));
      await order();
      await world.openedChain.submitter.runOnce().catch(() => undefined);
      world.devChain.behave();
      const row = requireThere((await world.rows()).at(-1));
      const { to, data } = parseTransaction(requireThere(row.raw ?? undefined));
      return { id: row.id, to: requireThere(to ?? undefined), data: requireThere(data) };
    },
    /** As a database has it that came back from a backup of before it was signed. */
    async forget(id: string): Promise<void> {
      const block = { blockNumber: null, blockHash: null, failure: null };
      await world.db
        .updateTable("chainTransaction")
        .set({ ...block, state: "queued", signerId: null, nonce: null, raw: null, hash: null })
        .where("id", "=", id)
        .execute();
    },
    store,
    stepOperation,
    claimKeys,
    nowSeconds,
    buildTerms,
    prefundOperation,
    execute,
    act,
    /** As the tools fund it: the money is on its way in the books first. Answers the trip's id. */
    async fund(tenant: EscrowTenant, change: Partial<TripTerms> = {}): Promise<Hex> {
      const { input } = prefundOperation(buildTerms(tenant, change));
      const operation = tripPrefund.of(input);
      await world.stores.transaction(async ({ chainTransactions, ledger }) => {
        const tenantId = tenant.tenant.id;
        const { id } = await chainTransactions.enqueue({
          ...sandboxChain,
          tenantId,
          callId: null,
          purpose: "test",
          operation,
          result: undefined,
          idempotencyKey: hash32(),
        });
        await ledger.send(tenant.purse, input.terms.budget, id);
      });
      await world.drain();
      return input.tripId;
    },
    async do(tripId: Hex, ...actions: EscrowAction[]): Promise<void> {
      for (const action of actions) {
        const { state, failure } = await act(tripId, action);
        if (state !== "confirmed") throw new Error(`${action.name} is ${state}: ${failure}`);
      }
    },
    /** Calls open to anybody, sent by a stranger with gas. */
    asStranger: (functionName: "release" | "withdraw", argument: Hex) =>
      world.devChain.sendAs(world.devChain.funderKey, {
        to: escrow.address,
        data: encodeFunctionData({ abi: tripEscrowAbi, functionName, args: [argument] }),
      }),
    /** Somebody's releases of several bookings by one transaction, whose code makes a contract; its hash. */
    async releaseTogether(tripId: Hex, bookingIds: readonly Hex[]): Promise<Hex> {
      const calls = bookingIds.map((bookingId) => {
        const args = [tripId, bookingId] as const;
        return encodeFunctionData({ abi: tripEscrowAbi, functionName: "releaseBooking", args }).slice(2);
      });
      const word = (value: number) => value.toString(16).padStart(4, "0");
      let offset = calls.length * CALL_BYTES + 1;
      const code = calls.map((call) => {
        const size = word(call.length / 2);
        // CODECOPY of the call's data to the start of the memory, CALL of the escrow with it, POP.
        const text = `61${size}61${word(offset)}600039${"6000".repeat(2)}61${size}${"6000".repeat(2)}73${escrow.address.slice(2)}5af150`;
        offset += call.length / 2;
        return text;
      });
      const account = privateKeyToAccount(world.devChain.funderKey);
      const { client } = world.devChain;
      const nonce = await client.getTransactionCount({ address: account.address });
      const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
      const data: Hex = `0x${code.join("")}00${calls.join("")}`;
      const rest = { type: "eip1559", chainId: chain.chainId, nonce, gas: 2_000_000n, data } as const;
      const serializedTransaction = await account.signTransaction({ ...rest, ...fees });
      const hash = await client.sendRawTransaction({ serializedTransaction });
      await world.devChain.mine();
      return hash;
    },
    /** The token's owner is the relayer; between two drains its nonce is nobody else's. */
    async asIssuer(functionName: "blacklist" | "unBlacklist", account: Hex): Promise<void> {
      const { relayerWalletId } = world.openedChain.sender;
      await world.devChain.sendAs(await world.readKey(relayerWalletId), {
        to: chain.tokens.USDC.address,
        data: encodeFunctionData({ abi: stablecoinAbi, functionName, args: [account] }),
      });
      await world.stores.chainTransactions.raiseNonce(relayerWalletId, await world.openedChain.sender.relayerNonce());
    },
    /** A wallet of somebody else, with gas and money. */
    async newStranger(amount: bigint) {
      const privateKey = hash32();
      const { address } = privateKeyToAccount(privateKey);
      const account: Hex = `0x${address.slice(2).toLowerCase()}`;
      await world.devChain.sendAs(world.devChain.funderKey, { to: account, value: 10n ** 18n });
      await execute(mint.of({ token: "USDC", to: account, amount }));
      return { privateKey, address: account };
    },
    /** Funds a stranger's own trip: signed by the stranger, without the service. */
    async fundByStranger({ privateKey, address }: { privateKey: Hex; address: Hex }, budget: bigint) {
      const expiresAt = nowSeconds() + SECONDS_PER_HOUR;
      const terms = {
        funder: address,
        budget,
        expiresAt,
        claimSigner: address,
        metadataHash: hash32(),
        salt: hash32(),
      };
      const message = { from: address, to: escrow.address, value: budget, validAfter: 0n, validBefore: expiresAt };
      const { name, version, address: verifyingContract } = chain.tokens.USDC;
      const signature = await privateKeyToAccount(privateKey).signTypedData({
        domain: { name, version, chainId: chain.chainId, verifyingContract },
        types: { ReceiveWithAuthorization: AUTHORIZATION },
        primaryType: "ReceiveWithAuthorization",
        message: { ...message, nonce: escrow.tripId(terms) },
      });
      const args = [terms, 0n, expiresAt, signature] as const;
      return {
        to: escrow.address,
        data: encodeFunctionData({ abi: tripEscrowAbi, functionName: "prefundWithAuthorization", args }),
      };
    },
    async readBalance(account: Hex): Promise<bigint> {
      const { number } = await chain.head();
      return (await chain.balances("USDC", [account], number))[0] ?? 0n;
    },
    /** The booked balance of the escrow. */
    async booked(): Promise<bigint | undefined> {
      const { number } = await chain.head();
      const custody = await world.stores.custody.read(sandboxChain, "USDC", number);
      return custody.find((one) => one.address === escrow.address)?.amount;
    },
  };
}

export type EscrowOrders = ReturnType<typeof openEscrowOrders>;

export function requireThere<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("it is not there");
  return value;
}
