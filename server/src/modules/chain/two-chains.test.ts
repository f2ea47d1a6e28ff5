import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type DevChain, startDevChain } from "../../../test/support/dev-chain.ts";
import { silentLog } from "../../../test/support/identity.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { newFundedTenant } from "../../../test/support/treasury.ts";
import { chainOperations } from "../../contributions.ts";
import type { Chains } from "../../kernel/contracts/by-chain.ts";
import type { Parts } from "../../kernel/contracts/whole.ts";
import { gatherChains } from "../../outside/chain/gather-chains.ts";
import { openSandboxChain } from "../../outside/chain/sandbox-chain.ts";
import { createHttpClient } from "../../platform/http-client/http-client.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import { sendOut } from "../treasury/send-out.ts";
import { transfer } from "../treasury/transfer-operation.ts";
import { mint } from "./development/mint-operation.ts";
import { createUsableChains } from "./usable-chains.ts";

/** The whole service with two chains in its sandbox: the embedded one, and one that answers only later. */

const OTHER_ID = 43_113;
const other: ChainKey = { environment: "sandbox", chain: `eip155:${OTHER_ID}` };
const stranger = `0x${"5".repeat(40)}` as const;
const PATIENCE_MILLISECONDS = 120_000;
const UNIT = 1_000_000n;

let node: DevChain;
let service: TestService;
let tenant: Awaited<ReturnType<typeof newFundedTenant>>;
let isThere = false;
const parts: {
  [Name in "db" | "vault" | "clock" | "stores" | "submitters" | "chains" | "chainOpener"]?: Parts[Name];
} = {};
const http = createHttpClient();

function requirePart<Name extends keyof typeof parts>(name: Name): NonNullable<(typeof parts)[Name]> {
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no ${name}`);
  return part;
}

function withOther(chains: Chains): Chains {
  const sandbox = chains.home("sandbox");
  if (sandbox === undefined) throw new Error("there is no home chain");
  const open = () =>
    openSandboxChain({
      db: requirePart("db"),
      vault: requirePart("vault"),
      clock: requirePart("clock"),
      http,
      log: silentLog,
      operations: chainOperations,
      rpcUrl: isThere ? node.url : "http://127.0.0.1:1",
      funderKey: node.funderKey,
      isHome: false,
      patienceMilliseconds: 0,
    });
  const further = [{ key: other, open }];
  return gatherChains({ home: { sandbox }, further, opened: [], log: silentLog, withLock: (work) => work() });
}

beforeAll(async () => {
  node = await startDevChain({ chainId: OTHER_ID });
  const keep =
    <Name extends keyof typeof parts>(name: Name) =>
    (part: Parts[Name]): Parts[Name] => {
      Object.assign(parts, { [name]: part });
      return part;
    };
  service = await startTestService(
    {},
    {
      decorate: {
        db: keep("db"),
        vault: keep("vault"),
        clock: keep("clock"),
        stores: keep("stores"),
        submitters: keep("submitters"),
        chainOpener: keep("chainOpener"),
        chains: (chains) => keep("chains")(withOther(chains)),
      },
    },
  );
  tenant = await newFundedTenant(service, "Two chains");
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  http.close();
  await node?.close();
});

const usable = () =>
  createUsableChains(
    {
      chains: requirePart("chains"),
      stores: requirePart("stores"),
      submitters: requirePart("submitters"),
      chainOpener: requirePart("chainOpener"),
    },
    "sandbox",
  );
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: PATIENCE_MILLISECONDS, interval: 100 });
const readAvailable = async (chain: ChainKey, tenantId: string) =>
  (await requirePart("stores").ledger.balance({ ...chain, tenantId, token: "USDC" })).available;

/** A transfer out of the tenant's wallet on the other chain. */
async function sendThere(tenantId: string, amount: bigint, waitMilliseconds?: number) {
  const stores = requirePart("stores");
  const { chain, submission } = usable().at(other.chain);
  const { address: from } = await stores.wallets.ensure(other, "treasury", tenantId);
  const callId = `call_${crypto.randomUUID()}`;
  return await sendOut(
    { stores, chain, submission },
    {
      tenantId,
      callId,
      idempotencyKey: callId,
      purpose: "test",
      operation: transfer,
      input: { token: "USDC", amount, from, to: stranger },
      result: {},
      waitMilliseconds,
    },
  );
}

const sendHere = () => service.call("send_tokens", { to: stranger, amount: "1.00", token: "USDC" }, tenant.as);

describe("two chains of one environment", () => {
  it("a chain that does not answer is not available for now, and the other one serves", async () => {
    expect(usable().names).toEqual([sandboxChain.chain, other.chain]);
    const unreachable = expect.objectContaining({ code: "chain_not_available", retryAfterSeconds: 10 });
    expect(() => usable().at(other.chain)).toThrow(unreachable);
    expect(() => usable().at("eip155:1")).toThrow(
      expect.objectContaining({ code: "chain_not_available", retryAfterSeconds: undefined }),
    );
    expect((await sendHere()).body).toMatchObject({ ok: true });
  });

  it("it is opened once it answers, and both move money apart", async () => {
    isThere = true;
    await eventually(async () => expect(usable().at(other.chain).chain.chainId).toBe(OTHER_ID));
    const { tenantId } = tenant;
    const before = await readAvailable(sandboxChain, tenantId);
    const stores = requirePart("stores");
    const { address } = await stores.wallets.ensure(other, "treasury", tenantId);
    await stores.chainTransactions.enqueue({
      ...other,
      idempotencyKey: `mint:${tenantId}`,
      tenantId: null,
      callId: null,
      purpose: "test",
      operation: mint.of({ token: "USDC", to: address, amount: 5n * UNIT }),
      result: undefined,
    });
    usable().at(other.chain).submission.wake();
    // Its indexer has read it.
    await eventually(async () => expect(await readAvailable(other, tenantId)).toBe(5n * UNIT));
    const named = { name: "Avalanche_Fuji", domain: 1, network: "testnet", isEmulated: true, chainId: OTHER_ID };
    for (const name of ["Avalanche_Fuji", "AVAX-FUJI", other.chain]) {
      expect(await usable().open(name)).toMatchObject(named);
    }
    const [there, here] = await Promise.all([sendThere(tenantId, 2n * UNIT), sendHere()]);
    expect(there).toMatchObject({ kind: "confirmed", result: { chainId: OTHER_ID } });
    expect(here.body).toMatchObject({ ok: true, result: { status: "confirmed", chainId: 5_042_002 } });
    expect(await readAvailable(other, tenantId)).toBe(3n * UNIT);
    expect(await readAvailable(sandboxChain, tenantId)).toBe(before - UNIT);
  });

  it("the death of one does not affect the other", async () => {
    await node.close();
    const waiting = sendThere(tenant.tenantId, UNIT, 1_000).catch((error: unknown) => error);
    for (let sent = 0; sent < 3; sent += 1) expect((await sendHere()).body).toMatchObject({ ok: true });
    expect(await waiting).toMatchObject({ code: "transfer_in_progress" });
    expect((await requirePart("stores").boundChains.get(sandboxChain))?.stoppedBecause).toBeUndefined();
    expect((await service.send("/readyz", {})).status).toBe(200);
  });
});
