import { createHash } from "node:crypto";
import { createWalletClient, encodeFunctionData, http, parseEventLogs } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type Agents, openAgents, storeTrip, type TestTenant } from "../../../test/support/agents.ts";
import { sendMcp } from "../../../test/support/mcp.ts";
import { createBuyer } from "../../../test/support/paid.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { openTreasury, requireResult, stranger, type Treasury } from "../../../test/support/treasury.ts";
import { identityRegistryAbi } from "../../generated/contracts/identity-registry.ts";
import { validationRegistryAbi } from "../../generated/contracts/validation-registry.ts";
import { sandboxFunder } from "../../outside/sandbox-keys.ts";

/** Requests for validation and their answers on a started product; the registry is read by viem. */
let service: TestService;
let treasury: Treasury;
let agents: Agents;
let owner: TestTenant;
let validator: TestTenant;
beforeAll(async () => {
  service = await openSharedService();
  treasury = openTreasury(service);
  agents = await openAgents(service, treasury);
  [owner, validator] = await Promise.all([agents.demo(), agents.newTenant("Validator")]);
});
afterAll(async () => {
  await treasury?.close();
  await service?.[Symbol.asyncDispose]();
});

const Hash = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{64}$/)]);
const Requested = z.looseObject({ requestHash: Hash, txHash: Hash });
const outcome = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code];
const request = (change: object = {}, as: object = owner.as) =>
  service.call(
    "request_validation",
    {
      subjectAgentId: owner.agentId,
      validatorAddress: validator.wallet,
      tag: "0xPlan",
      ownerWalletAddress: owner.wallet,
      ...change,
    },
    as,
  );
const newRequest = async (change: object = {}) => Requested.parse(requireResult(await request(change)));
const respond = (requestHash: string, change: object = {}, as: object = validator.as) =>
  service.call(
    "submit_validation_response",
    { requestHash, response: 100, tag: "0xPlan", validatorWalletAddress: validator.wallet, ...change },
    as,
  );
const read = (requestHash: string, as: object = owner.as) => service.call("read_validation", { requestHash }, as);
const usage = (tool: string) => service.sql("select 1 from usage_record where tool = $1", [tool]);

it("a request and its answer are in the registry, and are read from there", async () => {
  const requestUri = "https://example.com/Plan.json";
  const asked = await request({ requestUri });
  const { requestHash, txHash: requestTxHash } = Requested.parse(requireResult(asked));
  expect(requireResult(asked)).toMatchObject({
    source: "embedded-devnet",
    chainId: 5_042_002,
    status: "confirmed",
    agentId: owner.agentId,
    validatorAddress: validator.wallet,
    ownerWalletAddress: owner.wallet,
    tag: "0xPlan",
    requestUri,
  });
  const receipt = await treasury.client.getTransactionReceipt({ hash: requestTxHash });
  const [event] = parseEventLogs({ abi: validationRegistryAbi, eventName: "ValidationRequest", logs: receipt.logs });
  expect(event?.args).toMatchObject({ agentId: BigInt(owner.agentId), requestURI: requestUri, requestHash });
  expect(await agents.validation(requestHash)).toMatchObject({ isAnswered: false, agentId: BigInt(owner.agentId) });
  const open = requireResult(await read(requestHash, validator.as));
  expect(open).toMatchObject({
    requestHash,
    state: "requested",
    agentId: owner.agentId,
    validatorAddress: validator.wallet,
    isOwnersOwn: false,
    tag: "0xPlan",
    response: null,
    requestUri,
    requestTxHash,
    responseUri: null,
    responseTxHash: null,
  });

  const responseUri = "ipfs://Bafy";
  const answered = await respond(requestHash, { response: 0, responseUri });
  const { responseHash, txHash: responseTxHash } = z
    .object({ responseHash: z.string(), txHash: Hash })
    .parse(requireResult(answered));
  const text = JSON.stringify({ requestHash, response: 0, responseUri, tag: "0xPlan" });
  expect(responseHash).toBe(`0x${createHash("sha256").update(text).digest("hex")}`);
  expect(await agents.validation(requestHash)).toMatchObject({
    isAnswered: true,
    response: 0,
    tag: "0xPlan",
    responseHash,
  });
  expect(requireResult(await read(requestHash))).toMatchObject({
    state: "answered",
    response: 0,
    requestTxHash,
    responseUri,
    responseTxHash,
  });
});

describe("request_validation", () => {
  it("with a seed is the same request for the same arguments, and without one always a new one", async () => {
    const first = await request({ seed: "s1" });
    const charged = await usage("request_validation");
    const again = await request({ seed: "s1" });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(requireResult(again)).toEqual(requireResult(first));
    expect(await usage("request_validation")).toHaveLength(charged.length);
    const others = [{ seed: "s2" }, { seed: "s1", tag: "other" }, { seed: "s1", requestUri: "urn:x" }, {}, {}];
    const hashes = [Requested.parse(requireResult(first)).requestHash];
    for (const change of others) hashes.push((await newRequest(change)).requestHash);
    expect(new Set(hashes).size).toBe(6);
    expect(await agents.readRequests(owner.agentId)).toEqual(expect.arrayContaining(hashes));
  });

  it("is one request of sixteen at once with one seed, and of several with one idempotency key", async () => {
    const before = (await agents.readRequests(owner.agentId)).length;
    const at = await Promise.all(Array.from({ length: 16 }, () => newRequest({ seed: "at once" })));
    expect(new Set(at.map(({ txHash }) => txHash)).size).toBe(1);
    expect(await agents.readRequests(owner.agentId)).toHaveLength(before + 1);
    const keyed = { ...owner.as, headers: { "idempotency-key": "validation-1" } };
    const first = await request({}, keyed);
    const again = await request({}, keyed);
    expect(requireResult(again)).toEqual(requireResult(first));
    expect(await agents.readRequests(owner.agentId)).toHaveLength(before + 2);
  });

  it("is made by the agent's owner, in its own name", async () => {
    const before = await usage("request_validation");
    const cases: [object, object, number, string][] = [
      [{ ownerWalletAddress: validator.wallet }, owner.as, 500, "not_the_owner"],
      [{ subjectAgentId: validator.agentId }, owner.as, 500, "not_the_owner"],
      [{ subjectAgentId: "1" }, owner.as, 500, "not_the_owner"],
      [{}, validator.as, 500, "not_the_owner"],
      [{ ownerWalletAddress: validator.wallet }, validator.as, 500, "not_the_owner"],
      [{ subjectAgentId: "4000000000" }, owner.as, 500, "agent_not_found"],
      [{ subjectAgentId: "0" }, owner.as, 500, "agent_not_found"],
      [{ validatorAddress: `0x${"0".repeat(40)}` }, owner.as, 400, "invalid_input"],
      [{ tag: "a\nb" }, owner.as, 400, "invalid_input"],
      [{ requestUri: "file:///x" }, owner.as, 400, "invalid_input"],
      [{ seed: "x".repeat(201) }, owner.as, 400, "invalid_input"],
    ];
    for (const [change, as, status, code] of cases) {
      expect(outcome(await request(change, as)), JSON.stringify(change)).toEqual([status, code]);
    }
    expect(await usage("request_validation")).toEqual(before);
    const shouting = owner.wallet.toUpperCase().replace("0X", "0x");
    expect((await request({ ownerWalletAddress: shouting })).status).toBe(200);
  });
});

describe("submit_validation_response", () => {
  it("is made by the named validator, once, for the request's tag", async () => {
    const { requestHash } = await newRequest();
    const third = await agents.newTenant("Third");
    const before = await usage("submit_validation_response");
    const unknown = `0x${"1".repeat(64)}`;
    const cases: [string, object, object, number, string][] = [
      [requestHash, {}, owner.as, 500, "not_the_validator"],
      [requestHash, {}, third.as, 500, "not_the_validator"],
      [requestHash, { validatorWalletAddress: third.wallet }, third.as, 500, "not_the_validator"],
      [requestHash, { validatorWalletAddress: owner.wallet }, validator.as, 500, "not_the_validator"],
      [requestHash, { tag: "0xplan" }, validator.as, 500, "wrong_tag"],
      [unknown, {}, validator.as, 500, "validation_not_found"],
      [requestHash, { response: 50 }, validator.as, 400, "invalid_input"],
      [requestHash, { response: 1 }, validator.as, 400, "invalid_input"],
      [requestHash, { responseUri: "data:,x" }, validator.as, 400, "invalid_input"],
    ];
    for (const [hash, change, as, status, code] of cases) {
      expect(outcome(await respond(hash, change, as)), JSON.stringify(change)).toEqual([status, code]);
    }
    expect(await agents.validation(requestHash)).toMatchObject({ isAnswered: false });
    expect(await usage("submit_validation_response")).toEqual(before);

    const first = await respond(requestHash.toUpperCase().replace("0X", "0x"));
    const again = await respond(requestHash);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(requireResult(again)).toEqual(requireResult(first));
    for (const change of [{ response: 0 }, { responseUri: "urn:y" }]) {
      const other = await respond(requestHash, change);
      expect(outcome(other)).toEqual([500, "already_answered"]);
      expect(other.body).toMatchObject({ response: 100, txHash: requireResult(first).txHash });
    }
    expect(await usage("submit_validation_response")).toHaveLength(before.length + 1);
    expect(await agents.validation(requestHash)).toMatchObject({ isAnswered: true, response: 100 });
  });

  it("is one answer of sixteen at once", async () => {
    const { requestHash } = await newRequest();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => respond(requestHash, { response: index % 2 === 0 ? 0 : 100 })),
    );
    const given = answers.filter(({ status }) => status === 200);
    expect(given).toHaveLength(8);
    const { response, txHash } = z
      .object({ response: z.number(), txHash: z.string() })
      .parse(requireResult(given[0] ?? answers[0] ?? { body: {}, text: "" }));
    expect(given.every((answer) => requireResult(answer).txHash === txHash)).toBe(true);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(outcome(answer)).toEqual([500, "already_answered"]);
      expect(answer.body).toMatchObject({ response, txHash });
    }
    expect(await agents.validation(requestHash)).toMatchObject({ response, isAnswered: true });
  });
});

describe("the sandbox's own validator", () => {
  const Validators = z.object({ sandboxValidator: z.object({ validatorAddress: z.string() }) });

  it("answers by itself whether the ticket of a booking is confirmed", async () => {
    const listed = Validators.parse(requireResult(await service.call("list_validators", {}, owner.as)));
    const { validatorAddress } = listed.sandboxValidator;
    const { bookingId } = await storeTrip(service, treasury.keys, owner);
    const others = await storeTrip(service, treasury.keys, validator);
    const findings = async (requestUri?: string) => {
      const { requestHash } = await newRequest({ validatorAddress, ...(requestUri && { requestUri }) });
      return await vi.waitFor(async () => {
        const said = requireResult(await read(requestHash));
        expect(said).toMatchObject({ state: "answered", isOwnersOwn: false });
        expect(await agents.validation(requestHash)).toMatchObject({ isAnswered: true, response: said.response });
        return [said.response, said.responseUri];
      }, 30_000);
    };
    const finding = (name: string) => `urn:wayfare:finding:${name}`;
    expect(await findings()).toEqual([0, finding("no-booking-named")]);
    expect(await findings(`urn:wayfare:booking:${others.bookingId}`)).toEqual([0, finding("booking-not-found")]);
    expect(await findings(`urn:wayfare:booking:${bookingId}`)).toEqual([0, finding("ticket-not-confirmed")]);
    await service.sql("update escrow_booking set ticket_hash = $1 where booking_id = $2 and tenant_id = $3", [
      `0x${"ab".repeat(32)}`,
      bookingId,
      owner.tenantId,
    ]);
    expect(await findings(`urn:wayfare:booking:${bookingId.toUpperCase().replace("0X", "0x")}`)).toEqual([
      100,
      finding("ticket-confirmed"),
    ]);
  });
});

describe("read_validation", () => {
  it("says if an agent's owner has validated itself", async () => {
    const { requestHash } = await newRequest({ validatorAddress: owner.wallet });
    const answer = await respond(requestHash, { validatorWalletAddress: owner.wallet }, owner.as);
    expect(answer.status, answer.text).toBe(200);
    expect(requireResult(await read(requestHash))).toMatchObject({ isOwnersOwn: true, response: 100 });
  });

  it("is sold without a key, and finds nothing unknown", async () => {
    const buyer = createBuyer(service);
    const { requestHash } = await newRequest();
    const bought = await buyer.buy("read_validation", { requestHash });
    expect(bought.status, bought.text).toBe(200);
    const { asOf: _asOf, ...result } = requireResult(bought);
    expect(requireResult(await read(requestHash))).toMatchObject(result);
    const unknown = `0x${"2".repeat(64)}`;
    expect(outcome(await read(unknown))).toEqual([500, "validation_not_found"]);
    const balance = await buyer.readBalance(buyer.address);
    expect(outcome(await buyer.pay("read_validation", { requestHash: unknown }))).toEqual([
      500,
      "validation_not_found",
    ]);
    expect(await buyer.readBalance(buyer.address)).toBe(balance);
    const overMcp = await sendMcp(service, "tools/call", { name: "read_validation", arguments: { requestHash } });
    expect(overMcp.body.result).toMatchObject({ structuredContent: { requestHash, state: "requested" } });
  });

  it("shows entries made without this service: a stranger's request, and a validator's answer with its own key", async () => {
    const { client, keys, rpcUrl } = treasury;
    const account = privateKeyToAccount(sandboxFunder(keys.vault).privateKey);
    const funder = createWalletClient({ account, chain: client.chain, transport: http(rpcUrl) });
    // Another transaction may have used the account's nonce, or the request that is answered may not be mined yet.
    const send = (to: `0x${string}`, data: `0x${string}`) =>
      vi.waitFor(
        async () => {
          const hash = await funder.sendTransaction({ to, data });
          const receipt = await client.waitForTransactionReceipt({ hash });
          expect(receipt.status).toBe("success");
          return receipt;
        },
        { timeout: 90_000, interval: 100 },
      );
    const { identity, validation } = agents.contracts;
    const args = ["urn:stranger"] as const;
    const registered = await send(
      identity,
      encodeFunctionData({ abi: identityRegistryAbi, functionName: "register", args }),
    );
    const [event] = parseEventLogs({ abi: identityRegistryAbi, eventName: "Registered", logs: registered.logs });
    const agentId = event?.args.agentId ?? 0n;
    const requestHash = Hash.parse(`0x${"3".repeat(64)}`);
    const requestArgs = [stranger(), agentId, "", requestHash] as const;
    await send(
      validation,
      encodeFunctionData({ abi: validationRegistryAbi, functionName: "validationRequest", args: requestArgs }),
    );
    expect(requireResult(await read(requestHash))).toMatchObject({
      agentId: agentId.toString(),
      state: "requested",
      tag: null,
      requestTxHash: null,
    });
    // A request of ours whose validator is not ours.
    const own = await newRequest({ validatorAddress: account.address });
    const answer = [own.requestHash, 100, "", own.requestHash, "its tag"] as const;
    await send(
      validation,
      encodeFunctionData({ abi: validationRegistryAbi, functionName: "validationResponse", args: answer }),
    );
    expect(requireResult(await read(own.requestHash))).toMatchObject({
      state: "answered",
      response: 100,
      validatorAddress: account.address.toLowerCase(),
      tag: "0xPlan",
      requestTxHash: own.txHash,
      responseTxHash: null,
    });
  });
});
