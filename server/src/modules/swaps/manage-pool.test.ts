import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWalletClient, encodeFunctionData, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { openTreasury, requireResult, runChainCommand, type Treasury, UNIT } from "../../../test/support/treasury.ts";
import { parseDecimal } from "../../domain/money.ts";
import { swapPoolAbi } from "../../generated/contracts/swap-pool.ts";
import { sandboxCrossChainKeys } from "../../outside/sandbox-keys.ts";

/** The operator's commands about the swap pool. */
let service: TestService;
let treasury: Treasury;
beforeAll(async () => {
  service = await openSharedService();
  treasury = openTreasury(service);
  await service.isFunded(service.tenantId);
});
afterAll(async () => {
  await treasury.close();
  await service[Symbol.asyncDispose]();
});

const wish = { fromToken: "USDC", toToken: "EURC", amount: "5" };
const Pool = z.object({
  pool: z.templateLiteral(["0x", z.string()]),
  tokens: z.array(z.object({ token: z.string(), inventory: z.string(), available: z.string() })),
});
const command = (...words: string[]) => runChainCommand(service.config, [...words, "--network", "sandbox"]);
const show = async () => JSON.parse((await command("pool", "--json")).out);

it("show its inventory and limits, pause it and resume it; a pause traps nothing", async () => {
  // The first quote deploys the pool.
  requireResult(await service.call("preview_call", { tool: "swap_tokens", args: wish }));
  expect(await show()).toMatchObject({ isPaused: false, isOurQuoter: true, spreadBps: 10, leastRate: "0.50" });
  const { pool, tokens } = Pool.parse(await show());
  expect(tokens.map(({ token }) => token)).toEqual(["USDC", "EURC"]);
  expect(await treasury.readBalance(pool)).toBe(parseDecimal(tokens[0]?.inventory ?? ""));

  expect((await command("pause-pool")).out).toMatch(/now swaps nothing \(transaction 0x[0-9a-f]{64}\)\./);
  expect((await command("pause-pool")).out).toContain("was already in this state: it swaps nothing");
  expect((await command("pool")).out).toMatch(/swaps +PAUSED/);
  const refusal = { code: "swap_not_available", retryable: true };
  expect((await service.call("swap_tokens", wish)).body).toMatchObject(refusal);
  const preview = requireResult(await service.call("preview_call", { tool: "swap_tokens", args: wish }));
  expect(preview).toMatchObject({ accepted: false, problem: refusal });

  const ownerKey = sandboxCrossChainKeys(treasury.keys.vault).deployer;
  const account = privateKeyToAccount(ownerKey);
  const owner = createWalletClient({ account, transport: http(treasury.rpcUrl, { timeout: 120_000 }) });
  const args = [treasury.tokens.USDC, pool, UNIT] as const;
  const data = encodeFunctionData({ abi: swapPoolAbi, functionName: "takeInventory", args });
  const taken = await owner.sendTransaction({ chain: null, to: pool, data });
  expect(await treasury.client.waitForTransactionReceipt({ hash: taken })).toMatchObject({ status: "success" });

  const keyFile = join(service.dataDir, "pool-owner");
  const resume = async (key: string) => {
    writeFileSync(keyFile, key, { mode: 0o600 });
    return await command("resume-pool", "--owner-key-file", keyFile);
  };
  const strange = await resume(generatePrivateKey());
  expect(strange).toMatchObject({
    code: 1,
    error: expect.stringMatching(/belongs to 0x[0-9a-f]{40}, and the key to 0x/),
  });
  expect((await resume("0x12")).error).toContain("does not hold 32 bytes in hexadecimal");
  expect((await resume(ownerKey)).out).toContain("now swaps (transaction 0x");
  expect(requireResult(await service.call("swap_tokens", wish))).toMatchObject({ amountSent: "5.00" });
  const lines = await service.sql("select action from audit_log where subject_id = $1 order by id", [pool]);
  expect(lines.map(({ action }) => action)).toEqual(["pool.pause", "pool.resume"]);
});
