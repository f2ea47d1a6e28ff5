import { encodeAbiParameters, encodeFunctionData, keccak256, pad, parseAbiParameters, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { silentLog } from "../../../../test/support/identity.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { createEvmClient, createRpc, deployCrossChain, listMinters } from "../../../adapters/evm/index.ts";
import { burnIntentMessage, encodeBurnIntent } from "../../../adapters/gateway/transfer.ts";
import { Failure } from "../../../domain/errors.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { gatewayWalletAbi } from "../../../generated/contracts/gateway-wallet.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import { deposit } from "../operations/deposit.ts";
import { createGatewayIntents } from "../transfers/store-intents.ts";
import { carryOutWithdrawals } from "../withdrawals/carry-out.ts";
import { createGatewayEvents } from "./read-events.ts";

/** The books of the Gateway over a development chain with its contracts: every cause of a change, also those that are not ours. */

const FEES: Hex = "0x000000000000000000000000000000000000fee5";
const BURN = parseAbiParameters("bytes[] intents, bytes[] signatures, uint256[][] fees");
const operator = privateKeyToAccount(generatePrivateKey());

let world: ChainWorld;
let chain: Chain;
let wallet: Hex;
let relayerKey: Hex;
let events: ReturnType<typeof createGatewayEvents>;

beforeAll(async () => {
  world = await openChainWorld();
  const { USDC, EURC } = world.openedChain.chain.tokens;
  const relayer = await world.stores.wallets.ensure(sandboxChain, "relayer");
  const contracts = await deployCrossChain({
    client: createEvmClient(
      createRpc({ url: world.devChain.url, http: world.http, timeoutMilliseconds: 30_000, isBatched: true }),
    ),
    deployerKey: generatePrivateKey(),
    funderKey: world.devChain.funderKey,
    setup: {
      domain: 26,
      tokens: { USDC: USDC.address, EURC: EURC?.address ?? FEES },
      remotes: [],
      attesters: [operator.address],
      attesterThreshold: 1,
      gatewaySigner: operator.address,
      relayer: relayer.address,
      feeRecipient: FEES,
    },
  });
  relayerKey = await world.readKey(relayer.id);
  for (const { token, minter, allowance } of listMinters(contracts)) {
    const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "configureMinter", args: [minter, allowance] });
    await world.devChain.sendAs(relayerKey, { to: token, data });
  }
  await world.stores.chainTransactions.raiseNonce(relayer.id, await world.openedChain.sender.relayerNonce());
  wallet = contracts.gatewayWallet;
  const crossChain = { domain: 26, gateway: { wallet, minter: contracts.gatewayMinter } };
  Object.assign(world.openedChain.chain, { crossChain });
  chain = world.openedChain.chain;
  const chains = { keys: [sandboxChain], onDemand: [], home: () => world.openedChain, at: () => world.openedChain };
  events = createGatewayEvents({ chains, open: async () => undefined, stores: world.stores, log: silentLog });
  await events.begin(chain);
  world.openedChain.submitter.start();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

type Tenant = Awaited<ReturnType<ChainWorld["newTenant"]>>;

/** As a tool does it. */
const put = (tenant: Tenant, amount: bigint) =>
  tenant.send({ operation: deposit, input: { token: "USDC", from: tenant.wallet.address, wallet, amount } });

const held = async (tenant: Tenant) =>
  (await world.stores.ledger.inGateway({ tenantId: tenant.tenant.id, environment: "sandbox" })).get(sandboxChain.chain);

/** Ledger and chain agree about the wallets, and books and contract about the Gateway. */
async function compare(...tenants: readonly Tenant[]) {
  expect(await world.reconcile()).toEqual({ USDC: 0n, EURC: 0n });
  await events.readAll();
  const custody = await world.stores.gatewayBooks.custody(sandboxChain);
  expect(custody?.block).toBe((await chain.head()).number);
  const deposits = await chain.gateway.deposits(
    wallet,
    tenants.map((one) => one.wallet.address),
    custody?.block ?? 0n,
  );
  expect(deposits.map(({ available, withdrawing }) => available + withdrawing)).toEqual(
    tenants.map(({ tenant }) => custody?.tenants.get(tenant.id) ?? 0n),
  );
  expect((await world.stores.boundChains.get(sandboxChain))?.stoppedBecause).toBeUndefined();
}

/** From the wallet itself, which has gas for it. */
async function sendFrom(tenant: Tenant, functionName: "initiateWithdrawal" | "withdraw", amount?: bigint) {
  await world.devChain.sendAs(world.devChain.funderKey, { to: tenant.wallet.address, value: 10n ** 18n });
  const token = chain.tokens.USDC.address;
  const data =
    functionName === "withdraw" || amount === undefined
      ? encodeFunctionData({ abi: gatewayWalletAbi, functionName: "withdraw", args: [token] })
      : encodeFunctionData({ abi: gatewayWalletAbi, functionName, args: [token, amount] });
  return await world.devChain.sendAs(await world.readKey(tenant.wallet.id), { to: wallet, data });
}

/** Anybody may pay in for anybody. */
async function giveToGateway(tenant: Tenant, amount: bigint) {
  const { funderKey, sendAs } = world.devChain;
  const to = chain.tokens.USDC.address;
  const mintTo = privateKeyToAddress(funderKey);
  const send = (key: Hex, at: Hex, data: Hex) => sendAs(key, { to: at, data });
  await send(relayerKey, to, encodeFunctionData({ abi: stablecoinAbi, functionName: "mint", args: [mintTo, amount] }));
  await send(
    funderKey,
    to,
    encodeFunctionData({ abi: stablecoinAbi, functionName: "approve", args: [wallet, amount] }),
  );
  const args = [to, tenant.wallet.address, amount] as const;
  await send(funderKey, wallet, encodeFunctionData({ abi: gatewayWalletAbi, functionName: "depositFor", args }));
  const relayer = await world.stores.wallets.ensure(sandboxChain, "relayer");
  await world.stores.chainTransactions.raiseNonce(relayer.id, await world.openedChain.sender.relayerNonce());
}

it("follow deposits, withdrawals and a stranger's gift", async () => {
  const tenant = await world.newTenant();
  const answer = await put(tenant, 30n * UNIT);
  expect(answer.transaction.state).toBe("confirmed");
  expect(await tenant.balance()).toEqual({ available: 70n * UNIT, held: 0n, outgoing: 0n });
  await compare(tenant);
  expect(await held(tenant)).toEqual({ available: 30n * UNIT, reserved: 0n, withdrawing: 0n });
  await giveToGateway(tenant, 2n * UNIT);
  await compare(tenant);
  expect(await held(tenant)).toEqual({ available: 32n * UNIT, reserved: 0n, withdrawing: 0n });
  await sendFrom(tenant, "initiateWithdrawal", 12n * UNIT);
  await compare(tenant);
  expect(await held(tenant)).toEqual({ available: 20n * UNIT, reserved: 0n, withdrawing: 12n * UNIT });
  for (let block = 0; block < 20; block += 1) await world.devChain.mine();
  await sendFrom(tenant, "withdraw");
  await compare(tenant);
  expect(await held(tenant)).toEqual({ available: 20n * UNIT, reserved: 0n, withdrawing: 0n });
  expect((await tenant.balance()).available).toBe(82n * UNIT);
});

it("read a transfer's deposit that a stranger has sent once it is known to be the transfer's", async () => {
  const tenant = await world.newTenant();
  const { gatewayIntents } = world.stores;
  const { transaction } = await put(tenant, 7n * UNIT);
  const at = transaction.blockNumber ?? 0n;
  const transferId = `xfr_${tenant.tenant.id}`;
  await gatewayIntents.insert({ ...sandboxChain, transferId, depositId: transaction.id, reserved: 7n * UNIT });
  const unsettled = { from: tenant.wallet.address, amount: 7n * UNIT };
  // Its row has another hash, and is not settled.
  const early = createGatewayEvents({
    chains: { keys: [sandboxChain], onDemand: [], at: () => world.openedChain },
    open: async () => undefined,
    stores: {
      ...world.stores,
      gatewayIntents: {
        ...gatewayIntents,
        findDeposits: async () => new Set<Hex>(),
        listUnsettledDeposits: async () => [unsettled],
      },
    },
    log: silentLog,
  });
  await early.catchUp(chain, at);
  expect((await world.stores.gatewayBooks.custody(sandboxChain))?.block).toBeLessThan(at);
  expect(await held(tenant)).toBeUndefined();
  await world.db.transaction().execute(async (trial) => {
    const row = trial.updateTable("chainTransaction").where("id", "=", transaction.id);
    await row.set({ state: "signed", raw: "0x00", blockNumber: null }).execute();
    expect(await createGatewayIntents(trial, world.clock).listUnsettledDeposits(sandboxChain)).toEqual([unsettled]);
    await row.set({ state: "confirmed", blockNumber: at }).execute();
  });
  expect(await gatewayIntents.listUnsettledDeposits(sandboxChain)).toEqual([]);
  await compare(tenant);
  expect(await held(tenant)).toEqual({ available: 0n, reserved: 7n * UNIT, withdrawing: 0n });
});

it("follow what the operator burns", async () => {
  const tenant = await world.newTenant();
  await put(tenant, 40n * UNIT);
  const word = (address: Hex): Hex => pad(address, { size: 32 });
  const account = privateKeyToAccount(await world.readKey(tenant.wallet.id));
  const token = chain.tokens.USDC.address;
  const intent = {
    maxBlockHeight: 2n ** 256n - 1n,
    maxFee: 50_000n,
    spec: {
      sourceDomain: 26,
      destinationDomain: 6,
      sourceContract: word(wallet),
      destinationContract: word(FEES),
      sourceToken: word(token),
      destinationToken: word(token),
      sourceDepositor: word(account.address),
      destinationRecipient: word(FEES),
      sourceSigner: word(account.address),
      destinationCaller: zeroHash,
      value: 10n * UNIT,
      salt: generatePrivateKey(),
      hookData: "0x",
    },
  } as const;
  const signature = await account.signTypedData(burnIntentMessage(intent));
  const calldata = encodeAbiParameters(BURN, [[encodeBurnIntent(intent)], [signature], [[10_500n]]]);
  const attested = await operator.signMessage({ message: { raw: keccak256(calldata) } });
  const data = encodeFunctionData({ abi: gatewayWalletAbi, functionName: "gatewayBurn", args: [calldata, attested] });
  await world.devChain.sendAs(world.devChain.funderKey, { to: wallet, data });
  await compare(tenant);
  expect(await held(tenant)).toEqual({ available: 30n * UNIT - 10_500n, reserved: 0n, withdrawing: 0n });
});

it("reserve no more than there is, and read twice book once", async () => {
  const tenant = await world.newTenant();
  await put(tenant, 10n * UNIT);
  await compare(tenant);
  const { gatewayBooks } = world.stores;
  const taken = await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      gatewayBooks.reserve(tenant.purse, 3n * UNIT, `${tenant.tenant.id}-${index}`),
    ),
  );
  expect(taken.reduce((sum, one) => sum + one, 0n)).toBe(10n * UNIT);
  expect(await held(tenant)).toEqual({ available: 0n, reserved: 10n * UNIT, withdrawing: 0n });
  await gatewayBooks.release(tenant.purse, 4n * UNIT, `${tenant.tenant.id}-back`);
  expect(await held(tenant)).toEqual({ available: 4n * UNIT, reserved: 6n * UNIT, withdrawing: 0n });
  await world.db.updateTable("gatewayReading").set({ readNumber: 0n }).execute();
  await compare(tenant);
  expect(await held(tenant)).toEqual({ available: 4n * UNIT, reserved: 6n * UNIT, withdrawing: 0n });
});

it("a withdrawal is signed by the wallet, waits its blocks, and goes on after a kill at any step", async () => {
  const tenant = await world.newTenant();
  await put(tenant, 25n * UNIT);
  await compare(tenant);
  const { gatewayBooks, gatewayWithdrawals } = world.stores;
  const owner = { ...sandboxChain, tenantId: tenant.tenant.id };
  const id = `gwd_${tenant.tenant.id}`;
  const store = { ...owner, id, address: tenant.wallet.address, amount: 5n * UNIT };
  expect(await gatewayWithdrawals.insert(store)).toBe(true);
  expect(await gatewayWithdrawals.insert({ ...store, id: `${id}2` })).toBe(false);
  await gatewayBooks.reserve(tenant.purse, 5n * UNIT, id);
  const chains = { keys: [sandboxChain], onDemand: [], home: () => world.openedChain, at: () => world.openedChain };
  const sent: Hex[] = [];
  let deaths = 0;
  /** Dies after every second broadcast, before anything else is stored. */
  const sender = {
    ...world.openedChain.sender,
    async broadcast(raw: Hex) {
      const answer = await world.openedChain.sender.broadcast(raw);
      sent.push(raw);
      deaths += 1;
      if (deaths % 2 === 1) throw new Error("killed");
      return answer;
    },
  };
  const parts = {
    chains: {
      ...chains,
      at: () => ({ ...world.openedChain, sender }),
      open: async () => undefined,
      readTips: async () => new Map(),
    },
    submitters: { ...chains, home: () => undefined, at: () => world.openedChain.submitter },
    indexers: { ...chains, home: () => undefined, at: () => world.openedChain.indexer },
    stores: world.stores,
    clock: world.clock,
    log: silentLog,
    gatewayEvents: events,
    portsFor: () => undefined,
  };
  const seen = new Set<string>();
  await expect
    .poll(
      async () => {
        await gatewayWithdrawals.wake(id);
        await Promise.all([carryOutWithdrawals(parts), carryOutWithdrawals(parts)]);
        const found = await gatewayWithdrawals.get(id);
        seen.add(found?.state ?? "");
        if (found?.state === "waiting") {
          await events.readAll();
          expect(await held(tenant)).toEqual({ available: 20n * UNIT, reserved: 0n, withdrawing: 5n * UNIT });
        }
        return found?.state;
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBe("completed");
  expect(seen).toEqual(new Set(["requested", "waiting", "completed"]));
  // "completed" means in the wallet, in the books too.
  expect((await tenant.balance()).available).toBe(80n * UNIT);
  // Two transactions, however often they were sent.
  expect(new Set(sent).size).toBe(2);
  await compare(tenant);
  expect(await held(tenant)).toEqual({ available: 20n * UNIT, reserved: 0n, withdrawing: 0n });
  expect((await gatewayWithdrawals.get(id))?.hashes).toHaveLength(2);
});

it("open a further chain that a process had left behind, and read it", async () => {
  const tenant = await world.newTenant();
  await put(tenant, 6n * UNIT);
  expect(await world.reconcile()).toEqual({ USDC: 0n, EURC: 0n });
  expect(await world.stores.gatewayBooks.listBehind("sandbox")).toEqual([sandboxChain.chain]);
  let opened = 0;
  const afterStart = createGatewayEvents({
    chains: {
      keys: [],
      onDemand: [sandboxChain],
      at: () => (opened > 1 ? world.openedChain : undefined),
    },
    async open() {
      opened += 1;
      // There is no room the first time.
      if (opened === 1) throw new Failure("chain_unavailable", {});
    },
    stores: world.stores,
    log: silentLog,
  });
  await afterStart.readAll();
  expect(await held(tenant)).toBeUndefined();
  await afterStart.readAll();
  expect(await held(tenant)).toEqual({ available: 6n * UNIT, reserved: 0n, withdrawing: 0n });
  await afterStart.readAll();
  expect(opened).toBe(2);
  expect(await world.stores.gatewayBooks.listBehind("sandbox")).toEqual([]);
});
