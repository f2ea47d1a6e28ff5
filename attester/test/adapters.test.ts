import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../devnet/test/support/until.ts";
import { createMessageAttestations } from "../../server/src/adapters/cctp/index.ts";
import { createUnifiedBalance } from "../../server/src/adapters/gateway/index.ts";
import { createHttpClient } from "../../server/src/platform/http-client/http-client.ts";
import type { MessageAttestations } from "../../server/src/ports/chain/message-attestations.ts";
import type { UnifiedBalance } from "../../server/src/ports/chain/unified-balance.ts";
import { type AttesterWorld, openAttesterWorld, UNIT } from "./support/attester-world.ts";

// The service's adapters, which a live network is reached with too.
const http = createHttpClient();
let world: AttesterWorld;
let url: string;
let attestations: MessageAttestations;
let gateway: UnifiedBalance;
beforeAll(async () => {
  world = await openAttesterWorld();
  ({ url } = await world.startAttester());
  attestations = createMessageAttestations({ url, http });
  gateway = createUnifiedBalance({ url, http });
});
afterAll(async () => {
  http.close();
  await world?.close();
});

const arm = (path: string, fault: string, times = 1) =>
  fetch(`${url}/_sandbox/scenarios`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ match: { path }, fault, times, delayMs: 60_000 }),
  });

test("twenty burns asked for at once arrive, each once, whatever the attester does meanwhile", async () => {
  const { base, hub, burn, receive, readBalance } = world;
  const before = await readBalance(hub);
  const burns = [];
  for (let count = 0; count < 20; count += 1) burns.push(await burn(base, hub, UNIT));
  await arm("/v2/messages", "away", 20);
  await arm("/v2/messages", "reset", 10);
  await arm("/v2/messages", "altered", 5);
  await arm("/v2/messages", "late", 5);
  const found = await Promise.all(
    burns.map(({ transactionHash, message }) =>
      until(async () => {
        const seen = await attestations.find({ sourceDomain: base.domain, transactionHash, message });
        return seen.state === "attested" ? seen : undefined;
      }),
    ),
  );
  expect(new Set(found.map(({ nonce }) => nonce)).size).toBe(20);
  for (const { message, attestation } of found) await receive(hub, message, attestation);
  expect(await readBalance(hub)).toBe(before + 20n * UNIT);
});

test("fees are those that a fast burn is charged, and a contradiction is told", async () => {
  const { base, hub, burn } = world;
  const { fast } = await attestations.readFees(base.domain, hub.domain);
  expect(fast).toBe(100n);
  const sent = await burn(base, hub, 10n * UNIT, 1_000n, 1_000);
  const reference = { sourceDomain: base.domain, ...sent };
  const seen = await attestations.find(reference);
  expect(seen).toMatchObject({ state: "attested", fee: (10n * UNIT * (fast ?? 0n)) / 1_000_000n });
  const nonce = seen.state === "attested" ? seen.nonce : "0x";
  expect(await attestations.attestAnew(nonce)).toBe("requested");
  expect(await attestations.find(reference)).toMatchObject({
    state: "attested",
    fee: 0n,
    expirationBlock: undefined,
    nonce,
  });
  await arm("/v2", "contradicting", 2);
  expect(await attestations.find(reference)).toMatchObject({ state: "pending" });
  expect(await attestations.attestAnew(nonce)).toBe("final");
});

test("the unified balance is read and spent", async () => {
  const { base, hub, payer, deposit, signIntent, mint, readBalance } = world;
  expect((await gateway.readDomains()).map(({ domain, walletContract }) => [domain, walletContract])).toEqual([
    [hub.domain, hub.contracts.gatewayWallet],
    [base.domain, base.contracts.gatewayWallet],
  ]);
  await deposit(base, 30n * UNIT);
  const balances = () => gateway.readBalances(payer.address, [base.domain, hub.domain]);
  expect(await balances()).toEqual(
    new Map([
      [base.domain, 30n * UNIT],
      [hub.domain, 0n],
    ]),
  );
  const { intent, signature } = await signIntent(base, hub, 20n * UNIT);
  const before = await readBalance(hub);
  // The answer is lost: the same intent is sent again, and is the same transfer.
  await arm("/v1/transfer", "reset");
  await expect(gateway.transfer(intent, signature)).rejects.toThrow("no clear answer");
  const transfer = await gateway.transfer(intent, signature);
  expect(transfer.fee).toBe(await gateway.estimateFee(intent.spec));
  expect(await balances()).toEqual(
    new Map([
      [base.domain, 10n * UNIT - transfer.fee],
      [hub.domain, 0n],
    ]),
  );
  expect(await gateway.findStatus(transfer.transferId)).toBe("pending");
  await mint(hub, transfer.attestation, transfer.signature);
  expect(await readBalance(hub)).toBe(before + 20n * UNIT);
  await until(async () => (await gateway.findStatus(transfer.transferId)) === "finalized" || undefined);
  const dear = await signIntent(base, hub, 20n * UNIT);
  await expect(gateway.transfer(dear.intent, dear.signature)).rejects.toThrow("insufficient balance");
});
