import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  startLiveChain,
} from "../../../test/support/live-service.ts";
import { requireResult, runChainCommand } from "../../../test/support/treasury.ts";
import type { Hex } from "../../domain/tokens.ts";

/** A live network starts to use an escrow, changes it and gives it up: whatever was paid in before, the books match. */
let chain: LiveChain;
let deployment: LiveDeployment;
beforeAll(async () => {
  chain = await startLiveChain();
  deployment = await createLiveDeployment(chain, { url: "http://127.0.0.1:9", token: "none" });
});
afterAll(async () => {
  await deployment?.[Symbol.asyncDispose]();
  await chain?.close();
});

const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]);
/** Without a supplier sandbox and a development chain: only the live chain is tested here. */
const ALONE = { EMBEDDED_SANDBOX: "off" };
const naming = (escrow: Hex | undefined) => ({ ...ALONE, ...(escrow === undefined ? {} : { CHAIN_ESCROW: escrow }) });

/** Starts the service and returns the escrow's booked balances, once they agree with the chain. */
async function readBooked(escrow: Hex | undefined): Promise<unknown[]> {
  const running = await deployment.start(naming(escrow));
  try {
    const { out } = await runChainCommand(running.config, ["status", "--network", "production"]);
    expect(out).toMatch(/difference +0\.00 USDC, 0\.00 EURC/);
  } finally {
    await running.stop();
  }
  const rows =
    "select token, balance_micro::int as micro from ledger_account where kind = 'escrow' order by token desc";
  return await deployment.sql(rows);
}

let escrow: Hex;
it("an escrow whose fees go elsewhere is refused, with the right address", async () => {
  const line = await deployment.refuse(naming(await chain.deployEscrow()));
  expect(line).toMatch(/^Not started: [^\n]+\.$/);
  expect(line).toMatch(/sends its service fees to 0x[0-9a-f]{40}, not 0x[0-9a-f]{40}: have its owner set that/);
  const [, serviceFeeRecipient] = /, not (0x[0-9a-f]{40}):/.exec(line) ?? [];
  const [collection] = await deployment.sql("select address from wallet where kind = 'collection'");
  expect(collection).toEqual({ address: serviceFeeRecipient });
  escrow = await chain.deployEscrow({ serviceFeeRecipient: Address.parse(serviceFeeRecipient) });
});

it("money paid into it before and between two starts is booked, once", async () => {
  await chain.deposit(escrow, 7n);
  await chain.deposit(escrow, 3n, "EURC");
  const both = (usdc: number, eurc: number) => [
    { token: "USDC", micro: usdc },
    { token: "EURC", micro: eurc },
  ];
  expect(await readBooked(escrow)).toEqual(both(7, 3));
  await chain.deposit(escrow, 2n);
  expect(await readBooked(escrow)).toEqual(both(9, 3));
  // Without an escrow, and with the same one again, which received money meanwhile.
  expect(await readBooked(undefined)).toEqual(both(0, 0));
  await chain.deposit(escrow, 5n);
  expect(await readBooked(escrow)).toEqual(both(14, 3));
});

it("another one is refused while trips have money in it", async () => {
  const [home] = await deployment.sql("select chain from chain_network where network = 'production' and is_home");
  const funded = {
    network: "production",
    chain: z.object({ chain: z.string() }).parse(home).chain,
    trip_id: `0x${"1".repeat(64)}`,
    tenant_id: "t",
    user_id: "u",
    escrow: escrow.toLowerCase(),
    funder: `0x${"2".repeat(40)}`,
    state: "funded",
    budget_micro: 5,
    free_micro: 5,
    code_nonce: "0x",
    mail: "none",
  };
  const columns = [...Object.keys(funded), "requires_code", "details", "expires_at", "created_at", "updated_at"];
  const values = Object.values(funded).map((value) => (typeof value === "number" ? value : `'${value}'`));
  await deployment.sql(`insert into trip (${columns}) values (${values}, false, '{}', now(), now(), now())`);
  for (const other of [undefined, await chain.deployEscrow()]) {
    expect(await deployment.refuse(naming(other))).toMatch(
      /^Not started: trips of this database have money in the escrow 0x[0-9a-f]{40}, which CHAIN_ESCROW does not name\. [^\n]+\.$/,
    );
  }
  await deployment.sql("update trip set free_micro = 0, refunded_micro = budget_micro");
  await (await deployment.start(naming(undefined))).stop();
});

it("one that a tenant was allowed is refused", async () => {
  const theirs = await chain.deployEscrow();
  const operator = await deployment.start(naming(undefined));
  const { tenant } = await operator.operator((identity) => identity.createTenant({ name: "Theirs", actor: "test" }));
  await operator.stop();
  await deployment.sql(
    `insert into further_escrow (network, chain, address, tenant_id, since_block, grace_seconds, returns_to_trip, allowed_at)
      select network, chain, '${theirs.toLowerCase()}', '${tenant.id}', 0, 0, true, now() from chain_network where network = 'production'`,
  );
  expect(await deployment.refuse(naming(theirs))).toMatch(
    /^Not started: CHAIN_ESCROW names 0x[0-9a-f]{40}, which [^\n]+ has given to one tenant\. Name another escrow\.$/,
  );
});

it("EURC that is configured later is booked with earlier deposits, and money keeps moving", async () => {
  const later = await createLiveDeployment(chain, { url: "http://127.0.0.1:9", token: "none" });
  const Wallet = z.object({ available: z.object({ EURC: z.string() }), balances: z.object({ EURC: z.string() }) });
  const Moved = z.object({
    movements: z.array(z.object({ kind: z.string(), amount: z.string(), token: z.string(), direction: z.string() })),
  });
  let running = await later.start({ ...ALONE, CHAIN_EURC: "" });
  try {
    const as = await running.operator(async (identity) => {
      const { tenant } = await identity.createTenant({ name: "Later", actor: "test" });
      const scopes = ["treasury:read"];
      const { apiKey: key } = await identity.mintKey({
        tenantId: tenant.id,
        name: "live",
        environment: "production",
        scopes,
        actor: "test",
      });
      return { key, tenantId: tenant.id };
    });
    const command = async (...args: string[]) =>
      JSON.parse((await runChainCommand(running.config, [...args, "--network", "production", "--json"])).out);
    const address = Address.parse((await command("treasury", as.tenantId)).address);
    await chain.deposit(address, 2_500_000n, "EURC");
    const isRead = async () => {
      const { indexedBlock, headBlock } = await command("status");
      return indexedBlock === headBlock;
    };
    await expect.poll(isRead, { timeout: 60_000 }).toBe(true);
    await running.stop();

    for (const [paidIn, available] of [
      [1_000_000n, "3.50"],
      [250_000n, "3.75"],
    ] as const) {
      running = await later.start(ALONE);
      await chain.deposit(address, paidIn, "EURC");
      const treasury = async () => Wallet.parse(requireResult(await running.call("check_treasury", {}, as)));
      await expect.poll(async () => (await treasury()).available.EURC, { timeout: 60_000 }).toBe(available);
      expect((await treasury()).balances.EURC).toBe(available);
      expect(await command("status")).toMatchObject({ stoppedBecause: null, difference: { eurc: "0.00" } });
      if (available === "3.50") await running.stop();
    }
    const { movements } = Moved.parse(requireResult(await running.call("list_movements", {}, as)));
    expect(movements.map(({ kind, direction, amount }) => `${kind} ${direction} ${amount}`)).toEqual([
      ...["deposit in 0.25", "deposit in 1.00", "deposit in 2.50"],
    ]);
  } finally {
    await running.stop();
    await later[Symbol.asyncDispose]();
  }
});
