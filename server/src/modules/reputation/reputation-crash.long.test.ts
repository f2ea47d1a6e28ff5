import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ChainWorld, openChainWorld } from "../../../test/support/chain-world.ts";
import { dyingProcess } from "../../../test/support/dying-ports.ts";
import { requireThere } from "../../../test/support/escrow-orders.ts";
import { silentLog } from "../../../test/support/identity.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { stranger } from "../../../test/support/treasury.ts";
import { chainEndings } from "../../contributions.ts";
import { Failure } from "../../domain/errors.ts";
import { systemRandom } from "../../domain/ids.ts";
import type { Hex } from "../../domain/tokens.ts";
import { reputationRegistryAbi } from "../../generated/contracts/reputation-registry.ts";
import { validationRegistryAbi } from "../../generated/contracts/validation-registry.ts";
import { createChainSubmitter } from "../chain/sending/submit-chain.ts";
import type { SendOutAnswer } from "../treasury/send-out.ts";
import { answerValidation } from "./answer-validation.ts";
import { type FeedbackPorts, giveFeedback } from "./give-feedback.ts";
import { requestValidation } from "./request-validation.ts";

/** These registries know it themselves. */
const noRegistration = async () => undefined;

/** Crashes between intent and receipt: the registries take each entry once, and refusals hold. */

type Network = Awaited<ReturnType<ChainWorld["open"]>>;
type Tenant = Awaited<ReturnType<ChainWorld["newTenant"]>>;

let world: ChainWorld;
let openedChain: Network;
let rater: Tenant;
let subject: Tenant;
let healthy: FeedbackPorts;
let subjectAgentId = 0n;
let raterAgentId = 0n;
beforeAll(async () => {
  world = await openChainWorld();
  openedChain = await world.open({ endings: chainEndings });
  [rater, subject] = [await world.newTenant(), await world.newTenant()];
  const { stores, clock } = world;
  healthy = { stores, chain: openedChain.chain, submission: openedChain.submitter, clock, random: systemRandom };
  subjectAgentId = (await registries().findAgent(subject.wallet.address, noRegistration)) ?? 0n;
  raterAgentId = (await registries().findAgent(rater.wallet.address, noRegistration)) ?? 0n;
  expect(subjectAgentId * raterAgentId).toBeGreaterThan(0n);
});
afterAll(() => world?.[Symbol.asyncDispose]());

function registries() {
  const { agentRegistries } = openedChain.chain;
  if (agentRegistries === undefined) throw new Error("there are no registries");
  return agentRegistries;
}

/** An operation that must happen once: by a call, on the given ports. */
type Operation = (ports: FeedbackPorts, callId: string) => Promise<SendOutAnswer>;
const unhurried = { waitMilliseconds: 0, about: {} };

const rating =
  (tag: string, change: { stars?: number } = {}): Operation =>
  (ports, callId) =>
    giveFeedback(ports, {
      tenantId: rater.tenant.id,
      callId,
      raterKind: "org",
      userId: "user",
      agentId: subjectAgentId,
      stars: 5,
      tag,
      tripId: undefined,
      bookingId: undefined,
      evidenceUri: undefined,
      ...unhurried,
      ...change,
    });
const request =
  (seed: string | undefined, change: { tag?: string } = {}): Operation =>
  (ports, callId) =>
    requestValidation(ports, {
      tenantId: subject.tenant.id,
      callId,
      agentId: subjectAgentId,
      validator: rater.wallet.address,
      ownerWallet: subject.wallet.address,
      tag: "plan",
      requestUri: undefined,
      seed,
      ...unhurried,
      ...change,
    });
const answer =
  (requestHash: Hex, response = 100): Operation =>
  (ports, callId) =>
    answerValidation(ports, {
      tenantId: rater.tenant.id,
      callId,
      requestHash,
      response,
      tag: "plan",
      validatorWallet: rater.wallet.address,
      responseUri: undefined,
      ...unhurried,
    });

const ratings = async (tag: string): Promise<number> => {
  const [clients] = await world.devChain.client.readContract({
    address: registries().contracts.reputation,
    abi: reputationRegistryAbi,
    functionName: "readAllFeedback",
    args: [subjectAgentId, [], tag, "", true],
  });
  return clients.length;
};
const requests = async (): Promise<readonly Hex[]> =>
  await world.devChain.client.readContract({
    address: requireThere(registries().contracts.validation),
    abi: validationRegistryAbi,
    functionName: "getAgentValidations",
    args: [subjectAgentId],
  });

const requireRequestHash = ({ result }: SendOutAnswer): Hex => {
  const { requestHash } = z.object({ requestHash: z.templateLiteral(["0x", z.string()]) }).parse(result);
  return requestHash;
};
const settledCode = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof Failure ? error.code : error),
  );
const newCall = (key: string | null = null) => world.newCall(rater.tenant.id, key);

/** Repeats the request until it has ended, as a caller would. */
async function finish(operation: Operation): Promise<SendOutAnswer> {
  for (let turn = 0; turn < 5; turn += 1) {
    try {
      return await operation(healthy, await newCall());
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "step_in_progress") throw error;
      await world.drain(openedChain);
    }
  }
  throw new Error("it does not come to an end");
}

/** A process that executes the operation and dies after so many steps; 0: it survives. */
async function execute(operation: Operation, deathAt: number) {
  const { mortal, mortalStores, death, steps } = dyingProcess(deathAt, "after");
  const stores = mortalStores(world.stores);
  const submitter = createChainSubmitter({
    chain: mortal(openedChain.chain),
    operations: openedChain.operations,
    sender: mortal(openedChain.sender),
    wallets: mortal(openedChain.wallets),
    stores,
    endings: chainEndings,
    isTransient: () => false,
    log: silentLog,
    timing: { resendMilliseconds: 0 },
  });
  const callId = await newCall();
  const run = async () => {
    expect(await settledCode(operation({ ...healthy, stores, submission: submitter }, callId))).toBe(
      "step_in_progress",
    );
    await world.drain({ submitter });
  };
  await Promise.race([run(), death]);
  return { callId, steps };
}

describe("a process that dies after any of its steps", () => {
  it("leaves one rating", async () => {
    const count = (await execute(rating("lives"), 0)).steps();
    expect(count).toBeGreaterThan(8);
    for (let deathAt = 1; deathAt <= count; deathAt += 1) {
      const tag = `dies at ${deathAt}`;
      const { callId } = await execute(rating(tag), deathAt);
      await world.drain(openedChain);
      const { result, transaction } = await finish(rating(tag));
      expect(result).toMatchObject({ tag, stars: 5, status: "confirmed", txHash: transaction.hash });
      expect(await ratings(tag)).toBe(1);
      // The call that died has ended; if it got as far as the intent, it is the one that pays.
      const { effect } = await world.callEnd(callId);
      expect(effect).toBe(transaction.callId === callId ? "done" : "none");
      expect(await settledCode(rating(tag, { stars: 1 })(healthy, await newCall()))).toBe("already_rated");
    }
    const { count: rated } = await world.stores.feedbacks.summary(
      { ...sandboxChain, agentId: subjectAgentId, rater: undefined },
      50,
    );
    expect(rated).toBe(count + 1);
  });

  it("leaves one request and one answer", async () => {
    const first = request("lives");
    const asking = (await execute(first, 0)).steps();
    const hash = requireRequestHash(await finish(first));
    const answering = (await execute(answer(hash), 0)).steps();
    const before = (await requests()).length;
    const last = Math.max(asking, answering);
    for (let deathAt = 1; deathAt <= last; deathAt += 2) {
      const operation = request(`dies at ${deathAt}`);
      await execute(operation, deathAt);
      await world.drain(openedChain);
      const requestHash = requireRequestHash(await finish(operation));
      await execute(answer(requestHash), deathAt);
      await world.drain(openedChain);
      const { result } = await finish(answer(requestHash));
      expect(result).toMatchObject({ response: 100, status: "confirmed" });
      expect(await registries().validation(requestHash)).toMatchObject({ response: 100, tag: "plan" });
      expect(await settledCode(answer(requestHash, 0)(healthy, await newCall()))).toBe("already_answered");
    }
    expect(await requests()).toHaveLength(before + Math.ceil(last / 2));
  });
});

describe("what the registry refuses", () => {
  /** A check whose answer has changed by the time the transaction is mined. */
  const lying = (owner: Hex): FeedbackPorts => {
    const agentRegistries = { ...registries(), findOwner: async () => owner };
    return { ...healthy, chain: { ...openedChain.chain, agentRegistries } };
  };

  it("leaves no rating and frees its scope", async () => {
    const onSelf: Operation = (ports, callId) =>
      giveFeedback(ports, {
        tenantId: rater.tenant.id,
        callId,
        raterKind: "org",
        userId: "user",
        agentId: raterAgentId,
        stars: 5,
        tag: "mine",
        tripId: undefined,
        bookingId: undefined,
        evidenceUri: undefined,
        ...unhurried,
      });
    const callId = await newCall();
    expect(await settledCode(onSelf(lying(stranger()), callId))).toBe("step_in_progress");
    expect((await world.callEnd(callId)).effect).toBe("open");
    // A concurrent request waits for the same end.
    expect(await settledCode(onSelf(lying(stranger()), await newCall()))).toBe("step_in_progress");
    await world.drain(openedChain);
    expect((await world.callEnd(callId)).effect).toBe("failed");
    const [row] = (await world.rows()).filter((one) => one.callId === callId);
    expect(row).toMatchObject({ state: "reverted", failure: expect.stringContaining("OwnAgent(") });
    const left = await world.db.selectFrom("feedback").select("id").where("tag", "=", "mine").execute();
    expect(left).toEqual([]);
    expect(await settledCode(onSelf(healthy, await newCall()))).toBe("own_agent");
  });

  it("is reported to the waiting caller", async () => {
    const callId = await newCall();
    const asked = requestValidation(lying(subject.wallet.address), {
      tenantId: subject.tenant.id,
      callId,
      agentId: raterAgentId,
      validator: stranger(),
      ownerWallet: subject.wallet.address,
      tag: "not mine",
      requestUri: undefined,
      seed: undefined,
      about: {},
    });
    const told = expect(asked).rejects.toMatchObject({
      code: "registry_refused",
      cause: expect.objectContaining({ message: expect.stringContaining("NotAuthorized(") }),
    });
    await expect.poll(async () => (await world.callEnd(callId)).effect).toBe("open");
    await world.drain(openedChain);
    await told;
    const left = await world.db.selectFrom("validation").select("id").where("tag", "=", "not mine").execute();
    expect(left).toEqual([]);
  });
});

it("a request without a seed is found again by its idempotency key while its end is open", async () => {
  const key = (name: string) => world.newCall(subject.tenant.id, name);
  const before = (await requests()).length;
  expect(await settledCode(request(undefined)(healthy, await key("open")))).toBe("step_in_progress");
  expect(await settledCode(request(undefined)(healthy, await key("open")))).toBe("step_in_progress");
  await world.drain(openedChain);
  const again = await request(undefined)(healthy, await key("open"));
  expect(again.kind).toBe("replayed");
  expect(await requests()).toHaveLength(before + 1);
  expect(await settledCode(request(undefined, { tag: "other" })(healthy, await key("open")))).toBe(
    "idempotency_mismatch",
  );
  expect(await settledCode(request(undefined)(healthy, await key("another")))).toBe("step_in_progress");
  await world.drain(openedChain);
  expect(await requests()).toHaveLength(before + 2);
});

it("on a chain without registries nothing is read or written", async () => {
  const chain = { ...openedChain.chain, agentRegistries: undefined };
  for (const operation of [rating("nowhere"), request("nowhere"), answer(`0x${"1".repeat(64)}`)]) {
    expect(await settledCode(operation({ ...healthy, chain }, await newCall()))).toBe("chain_not_available");
  }
});
