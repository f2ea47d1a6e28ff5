import { encodeDeployData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { cancelArgs, commitArgs, type Escrow, HexText, openEscrow, ticketArgs } from "../../../test/support/escrow.ts";
import type { Answer, CallOptions, TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult, runChainCommand, stranger, UNIT } from "../../../test/support/treasury.ts";
import type { Hex } from "../../domain/tokens.ts";
import { tripEscrowAbi, tripEscrowBytecode } from "../../generated/contracts/trip-escrow.ts";

/** Escrow contracts besides the chain's own, which an operator allows a tenant. */
let service: TestService;
let escrow: Escrow;
let other: Awaited<ReturnType<typeof newFundedTenant>>;
let roles: { operator: Hex; serviceFeeRecipient: Hex };
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
  other = await newFundedTenant(service, "Other");
  roles = {
    operator: (await escrow.keys.wallet("sandbox", "relayer")).address,
    serviceFeeRecipient: (await escrow.keys.wallet("sandbox", "collection")).address,
  };
});
afterAll(async () => {
  await escrow.close();
  await service[Symbol.asyncDispose]();
});

const PATIENCE = { timeout: 60_000 };
const GRACE_SECONDS = 604_800n;

async function deploy(change: Partial<{ token: Hex; operator: Hex; serviceFeeRecipient: Hex }> = {}): Promise<Hex> {
  const { token, operator, serviceFeeRecipient } = { token: escrow.tokens.USDC, ...roles, ...change };
  const args = [token, stranger(), operator, serviceFeeRecipient, GRACE_SECONDS] as const;
  return await escrow.deploy(encodeDeployData({ abi: tripEscrowAbi, bytecode: tripEscrowBytecode, args }));
}

const command = (...args: string[]) => runChainCommand(service.config, [...args, "--network", "sandbox"]);

async function allow(address: Hex, tenantId = service.tenantId): Promise<void> {
  expect(await command("allow-escrow", tenantId, address)).toMatchObject({ code: 0, error: "" });
}

const call = async (tool: string, args: object, as: CallOptions = {}) =>
  requireResult(await service.call(tool, args, as));

const refusal = ({ status, body }: Answer) => ({ status, ...z.object({ code: z.string() }).parse(body) });

/** The tenant's money in escrow by the ledger, and in these contracts by the chain. */
async function readEscrowed(addresses: readonly Hex[], tenantId = service.tenantId) {
  const [row] = await service.sql(
    "select coalesce(sum(balance_micro), 0)::text as micro from ledger_account where kind = 'escrow' and token = 'USDC' and tenant_id = $1",
    [tenantId],
  );
  const { micro: booked } = z.object({ micro: z.coerce.bigint() }).parse(row);
  const balances = await Promise.all(addresses.map((address) => escrow.readBalance(address)));
  return { booked, onChain: balances.reduce((sum, balance) => sum + balance, 0n) };
}

async function expectBooksAgree(): Promise<void> {
  const status = async () => JSON.parse((await command("status", "--json")).out);
  await expect.poll(async () => (await status()).stoppedBecause, PATIENCE).toBeNull();
  await expect.poll(async () => (await status()).difference, PATIENCE).toEqual({ usdc: "0.00", eurc: "0.00" });
}

describe("the operator's command", () => {
  it("refuses contracts that the service could not use, with the reason", async () => {
    const own = await escrow.escrowAddress();
    const refused: [Hex, RegExp][] = [
      [stranger(), /is not the service's escrow contract: check the address and the network/],
      [escrow.tokens.USDC, /is not the service's escrow contract/],
      [
        await deploy({ token: escrow.tokens.EURC }),
        /keeps the token 0x[0-9a-f]{40}, not 0x[0-9a-f]{40}: name an escrow/,
      ],
      [await deploy({ operator: stranger() }), /is operated by 0x[0-9a-f]{40}, not 0x[0-9a-f]{40}: have its owner set/],
      [await deploy({ serviceFeeRecipient: stranger() }), /sends its service fees to 0x[0-9a-f]{40}, not/],
      [own, /is this network's own escrow, which every tenant can use already/],
    ];
    for (const [address, reason] of refused) {
      const { code, error } = await command("allow-escrow", service.tenantId, address);
      expect(error).toMatch(reason);
      expect(error).not.toContain("CHAIN_");
      expect(code).toBe(1);
      expect(await service.sql("select 1 from further_escrow where address = $1", [address])).toEqual([]);
    }
    expect(await command("allow-escrow", "tenant_nobody", await deploy())).toMatchObject({ code: 1 });
    expect(await command("allow-escrow", service.tenantId, "0x12")).toMatchObject({ code: 2 });
    expect(await command("revoke-escrow", service.tenantId, own)).toMatchObject({ code: 1 });
  });

  it("refuses a contract on another chain than the home chain, where no tool could use it", async () => {
    const chain = "eip155:999999";
    await service.sql(
      `insert into chain_network (network, chain, is_home, chain_id, genesis_hash, indexed_number, indexed_hash, updated_at)
        values ('sandbox', $1, false, 999999, '0x', 0, '0x', now())`,
      [chain],
    );
    try {
      const { code, error } = await command("allow-escrow", service.tenantId, stranger(), "--chain", chain);
      expect(error).toContain(`no tool could use an escrow on ${chain}`);
      expect(code).toBe(1);
    } finally {
      await service.sql("delete from chain_network where chain = $1", [chain]);
    }
  });

  it("gives a contract to one tenant, once, and lists it", async () => {
    const address = await deploy();
    const tenants = [service.tenantId, other.tenantId];
    const both = await Promise.all(tenants.map((tenantId) => command("allow-escrow", tenantId, address)));
    const [row] = await service.sql("select tenant_id from further_escrow where address = $1", [address]);
    const loser = row?.tenant_id === service.tenantId ? other.tenantId : service.tenantId;
    expect(both.map((one) => one.code)).toEqual(tenants.map((tenantId) => (tenantId === loser ? 1 : 0)));
    const { code, error } = await command("allow-escrow", loser, address);
    expect([code, error]).toEqual([1, expect.stringContaining("is an escrow of another tenant")]);
    expect((await command("allow-escrow", String(row?.tenant_id), address)).out).toContain("already");
    expect((await command("escrows")).out).toMatch(new RegExp(`${address} +${row?.tenant_id} +\\d+ +allowed`));
  });
});

describe("a tenant's trips in a further escrow", () => {
  let address: Hex;
  beforeAll(async () => {
    address = await deploy();
  });

  it("are refused before the operator allows it, by the call and its preview", async () => {
    const args = { budgetUsdc: "20", escrowAddress: address };
    const answer = await service.call("prefund_trip", args);
    expect(refusal(answer)).toEqual({ status: 400, code: "invalid_input" });
    expect(answer.text).toContain(
      "one that the operator has allowed you; leave it out, or ask the operator to allow it",
    );
    const preview = await call("preview_call", { tool: "prefund_trip", args });
    expect(JSON.stringify(preview)).toContain("ask the operator to allow it");
  });

  it("are prefunded, settled, cancelled and refunded there, and the books have all of it", async () => {
    // Somebody has paid into it before.
    await call("send_tokens", { to: address, amount: "3" }, other.as);
    await allow(address);
    expect(await readEscrowed([address])).toEqual({ booked: 3n * UNIT, onChain: 3n * UNIT });

    const funded = await call("prefund_trip", { budgetUsdc: "60", escrowAddress: address });
    expect(funded.escrowAddress).toBe(address);
    const tripId = HexText.parse(funded.tripId);
    expect(await readEscrowed([address])).toEqual({ booked: 63n * UNIT, onChain: 63n * UNIT });

    // Without the address, or with it in another spelling, the trip's own is meant.
    const named = { escrowAddress: `0x${address.slice(2).toUpperCase()}` };
    const settled = await escrow.reserve(tripId, "10");
    await call("commit_booking", { ...commitArgs(settled), ...named });
    await call("confirm_flight", { ...ticketArgs(settled), ...named });
    expect(await call("settle_booking", { bookingId: settled, ...named })).toMatchObject({ vendorPaidUsdc: "9.00" });
    const cancelled = await escrow.reserve(tripId, "5");
    expect(await call("cancel_booking", { ...cancelArgs(cancelled, tripId), ...named })).toMatchObject({
      refundedUsdc: "5.00",
    });
    const released = await escrow.reserve(tripId, "7");
    expect(await call("release_reservation", { ...cancelArgs(released, tripId), ...named })).toMatchObject({
      returnedUsdc: "7.00",
      walletBecause: null,
    });
    await call("log_agent_action", { tripId, actionType: "search", feeMicroUsdc: "1000000", ...named });
    const guestWallet = stranger();
    const claim = { guestLink: funded.guestLink, guestWallet, ...named };
    expect(await call("guest_claim_link", claim)).toMatchObject({ escrowAddress: address });
    expect(await call("close_trip", { tripId })).toMatchObject({ returnedNowUsdc: "44.00" });
    expect(await readEscrowed([address])).toEqual({ booked: 3n * UNIT, onChain: 3n * UNIT });

    const { movements } = z
      .object({ movements: z.array(z.object({ kind: z.string(), direction: z.string(), amount: z.string() })) })
      .parse(await call("list_movements", { limit: 20 }));
    expect(movements.map(({ kind, direction, amount }) => `${kind} ${direction} ${amount}`)).toEqual(
      expect.arrayContaining(["trip_budget out 60.00", "trip_return in 44.00", "trip_return in 5.00"]),
    );
    await expectBooksAgree();
  });

  it("stay in the escrow that they are in", async () => {
    const [inOther, inOwn] = [
      HexText.parse((await call("prefund_trip", { budgetUsdc: "20", escrowAddress: address })).tripId),
      await escrow.prefund("20"),
    ];
    const own = await escrow.escrowAddress();
    for (const [tripId, escrowAddress] of [
      [inOther, own],
      [inOwn, address],
    ] as const) {
      const args = { tripId, upperBoundUsdc: "1", escrowAddress };
      const answer = await service.call("reserve_booking", args);
      expect(refusal(answer)).toEqual({ status: 400, code: "invalid_input" });
      expect(answer.text).toContain("is not the escrow of this trip, which is 0x");
      const preview = await call("preview_call", { tool: "reserve_booking", args });
      expect(JSON.stringify(preview)).toContain("is not the escrow of this trip, which is 0x");
    }
    for (const tripId of [inOther, inOwn]) await call("close_trip", { tripId });
  });

  it("are another tenant's business only in that one's escrows", async () => {
    const theirs = await deploy();
    await allow(theirs, other.tenantId);
    const { tripId } = await call("prefund_trip", { budgetUsdc: "8", escrowAddress: theirs }, other.as);
    for (const [escrowAddress, as] of [
      [address, other.as],
      [theirs, {}],
    ] as const) {
      for (const [tool, args] of [
        ["prefund_trip", { budgetUsdc: "1", escrowAddress }],
        ["reserve_booking", { tripId, upperBoundUsdc: "1", escrowAddress }],
      ] as const) {
        expect(refusal(await service.call(tool, args, as))).toEqual({ status: 400, code: "invalid_input" });
      }
    }
    expect(await readEscrowed([theirs], other.tenantId)).toEqual({ booked: 8n * UNIT, onChain: 8n * UNIT });
    await call("close_trip", { tripId }, other.as);
  });

  it("take no tokens that are sent to the contract by mistake", async () => {
    const args = { to: address, amount: "1" };
    // The service remembers for some seconds which contracts are escrows.
    const preview = async () => JSON.stringify(await call("preview_call", { tool: "send_tokens", args }));
    await expect.poll(preview, PATIENCE).toContain("one of the network's contracts");
    const answer = await service.call("send_tokens", args);
    expect(refusal(answer)).toEqual({ status: 400, code: "invalid_input" });
    expect(answer.text).toContain("one of the network's contracts");
  });

  it("can be in several escrows, whose money the books have as one sum", async () => {
    const second = await deploy();
    await allow(second);
    await call("faucet_drip", { address: second });
    const tripId = HexText.parse((await call("prefund_trip", { budgetUsdc: "4", escrowAddress: second })).tripId);
    await expect
      .poll(async () => {
        const { booked, onChain } = await readEscrowed([address, second]);
        return onChain - booked;
      }, PATIENCE)
      .toBe(0n);
    await expectBooksAgree();
    await call("close_trip", { tripId });
  });

  it("can end after the escrow was revoked, and none is begun", async () => {
    const tripId = HexText.parse((await call("prefund_trip", { budgetUsdc: "30", escrowAddress: address })).tripId);
    const bookingId = await escrow.reserve(tripId, "10");
    expect((await command("revoke-escrow", service.tenantId, address)).out).toContain("Its existing trips continue.");
    expect((await command("revoke-escrow", service.tenantId, address)).out).toContain("was already revoked");
    const args = { budgetUsdc: "1", escrowAddress: address };
    const answer = await service.call("prefund_trip", args);
    expect(refusal(answer)).toEqual({ status: 400, code: "invalid_input" });
    expect(answer.text).toContain("no longer takes new trips of yours");
    expect(JSON.stringify(await call("preview_call", { tool: "prefund_trip", args }))).toContain(
      "no longer takes new trips",
    );

    await call("commit_booking", { ...commitArgs(bookingId), escrowAddress: address });
    await call("confirm_flight", ticketArgs(bookingId));
    await call("settle_booking", { bookingId, escrowAddress: address });
    await call("close_trip", { tripId });
    expect(await escrow.trip(tripId)).toMatchObject({ state: "closed", free_micro: 0n, held_micro: 0n });
    await expectBooksAgree();

    await allow(address);
    await call("close_trip", await call("prefund_trip", args).then((trip) => ({ tripId: trip.tripId })));
  });
});
