import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  type LiveService,
  startLiveChain,
} from "../../../test/support/live-service.ts";
import { requireResult, runChainCommand, UNIT } from "../../../test/support/treasury.ts";
import type { Hex } from "../../domain/tokens.ts";

/**
 * The operator names another escrow right after the last movement of the previous one. A live network reads its newest
 * blocks again, which now contain booked movements of the previous escrow.
 */
vi.setConfig({ testTimeout: 120_000 });
const PATIENCE = { timeout: 60_000 };
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
const Movements = z.object({ movements: z.array(z.object({ kind: z.string(), amount: z.string() })) });
const startWith = (escrow: Hex | undefined) =>
  deployment.start({ EMBEDDED_SANDBOX: "off", ...(escrow === undefined ? {} : { CHAIN_ESCROW: escrow }) });

async function newTenant(service: LiveService) {
  return await service.operator(async (identity) => {
    const { tenant } = await identity.createTenant({ name: "Live", actor: "test" });
    const scopes = ["treasury:read", "escrow:read", "escrow:spend"];
    const { apiKey: key } = await identity.mintKey({
      tenantId: tenant.id,
      environment: "production",
      scopes,
      actor: "test",
    });
    return { key, tenantId: tenant.id };
  });
}

it("another escrow, and then none, leave the books as they are, and deposits are still read", async () => {
  await (await startWith(undefined)).stop();
  const [row] = await deployment.sql("select address from wallet where kind = 'collection' and network = 'production'");
  const roles = { serviceFeeRecipient: Address.parse(row?.address) };
  const [first, second] = [await chain.deployEscrow(roles), await chain.deployEscrow(roles)];
  let service = await startWith(first);
  try {
    const as = await newTenant(service);
    const call = async (tool: string, args: object) => requireResult(await service.call(tool, args, as));
    const address = Address.parse((await call("check_treasury", {})).address);
    const status = async () =>
      JSON.parse((await runChainCommand(service.config, ["status", "--network", "production", "--json"])).out);
    const deposits = async () => {
      const { movements } = Movements.parse(await call("list_movements", { limit: 100 }));
      return movements.filter(({ kind }) => kind === "deposit").map(({ amount }) => amount);
    };
    /** New blocks are read, and the previous ones with them. */
    const depositAndRead = async (expected: number) => {
      await chain.deposit(address, 10n * UNIT);
      await expect
        .poll(async () => ({ deposits: await deposits(), stopped: (await status()).stoppedBecause }), PATIENCE)
        .toEqual({ deposits: Array.from({ length: expected }, () => "10.00"), stopped: null });
    };
    /** Money goes into the escrow and out again, and all of it is booked. */
    const useEscrow = async () => {
      const { tripId } = await call("prefund_trip", { budgetUsdc: "5" });
      expect(await call("close_trip", { tripId })).toMatchObject({ returnedNowUsdc: "5.00" });
      const isRead = async () => {
        const { indexedBlock, headBlock } = await status();
        return indexedBlock === headBlock;
      };
      await expect.poll(isRead, PATIENCE).toBe(true);
    };

    await depositAndRead(1);
    await useEscrow();
    for (const [index, escrow] of [second, undefined].entries()) {
      await service.stop();
      service = await startWith(escrow);
      await depositAndRead(index + 2);
      expect(await status()).toMatchObject({ stoppedBecause: null, difference: { usdc: "0.00", eurc: "0.00" } });
      if (escrow !== undefined) await useEscrow();
    }
    const kept = await deployment.sql("select balance_micro::int as micro from ledger_account where kind = 'escrow'");
    for (const { micro } of kept) expect(micro).toBe(0);
  } finally {
    await service.stop();
  }
});
