import { Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { Clock } from "../../ports/clock.ts";
import { mismatch, type SendOutAnswer } from "../treasury/index.ts";
import type { Stores } from "./context.ts";
import { registryWriteErrors } from "./errors.ts";
import { type RecordPorts, recordOnce, requireValidations } from "./record-once.ts";
import { hashContent, REQUEST_PURPOSE } from "./registry-intents.ts";
import { registryEntry } from "./registry-operation.ts";
import type { NewValidation } from "./reputation.ts";

export interface RequestPorts extends RecordPorts {
  chain: Chain;
  clock: Clock;
  random: RandomBytes;
}

export interface ValidationRequest {
  tenantId: string;
  callId: string;
  /** Undefined: the id is impossible. */
  agentId: bigint | undefined;
  validator: Hex;
  /** Must be the tenant's own wallet and the agent's owner. */
  ownerWallet: Hex;
  tag: string;
  requestUri: string | undefined;
  seed: string | undefined;
  /** Added to the answer along with the request. */
  about: Readonly<Record<string, unknown>>;
  waitMilliseconds?: number;
}

/** For the tool to declare. */
export const requestErrors = {
  ...registryWriteErrors,
  not_the_owner: "Name your own agent, with your treasury wallet (see check_treasury) as its owner.",
} as const;

/** Checks everything that the registries would refuse before anything is stored, without changing anything. */
export async function checkRequest(
  { stores, chain }: Pick<RequestPorts, "stores" | "chain">,
  { tenantId, agentId, ownerWallet }: Pick<ValidationRequest, "tenantId" | "agentId" | "ownerWallet">,
) {
  const { registries, validation: registry } = requireValidations(chain);
  if (agentId === undefined) throw agentNotFound();
  const { address: from } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
  if (ownerWallet !== from) throw notTheOwner();
  const owner = await registries.findOwner(agentId);
  if (owner === undefined) throw agentNotFound();
  if (owner !== from) throw notTheOwner();
  return { agentId, from, registry };
}

/** Requests a validation once per hash. Throws Failure with a code of `requestErrors`. */
export async function requestValidation(ports: RequestPorts, request: ValidationRequest): Promise<SendOutAnswer> {
  const { stores, chain, clock, random } = ports;
  const { tenantId, callId, validator, tag, requestUri } = request;
  const { key } = chain;
  const { agentId, from, registry } = await checkRequest(ports, request);
  const requestHash = await chooseRequestHash(ports, request, { agentId, from, registry });
  const validation: NewValidation = {
    id: newId("val_", clock.now().epochMilliseconds, random),
    ...key,
    requestHash,
    tenantId,
    agentId,
    validator,
    tag,
    requestUri,
  };
  return await recordOnce(ports, {
    tenantId,
    callId,
    purpose: REQUEST_PURPOSE,
    from,
    action: { name: "request_validation", validator, agentId, requestUri: requestUri ?? "", requestHash },
    result: {
      requestHash,
      agentId: agentId.toString(),
      validatorAddress: validator,
      ownerWalletAddress: from,
      tag,
      requestUri: requestUri ?? null,
      ...request.about,
    },
    insert: ({ validations }) => validations.insert(validation),
    findEarlier: () => stores.validations.find(key, requestHash),
    requireSame(earlier) {
      const isSame =
        earlier.tenantId === tenantId &&
        earlier.agentId === agentId &&
        earlier.validator === validator &&
        earlier.tag === tag &&
        earlier.requestUri === requestUri;
      if (!isSame) throw mismatch();
    },
    waitMilliseconds: request.waitMilliseconds,
  });
}

/**
 * With a seed, the hash is derived from the arguments; without one, every call is a new request, except under the same
 * Idempotency-Key.
 */
async function chooseRequestHash(
  { stores, chain, random }: Pick<RequestPorts, "chain" | "random"> & { stores: Stores },
  { callId, validator, tag, requestUri, seed }: ValidationRequest,
  { agentId, from, registry }: { agentId: bigint; from: Hex; registry: Hex },
): Promise<Hex> {
  const earlier = seed === undefined ? await stores.chainTransactions.findOfRequest(chain.key, callId) : undefined;
  const action = registryEntry.read(earlier?.operation)?.action;
  if (action?.name === "request_validation") return action.requestHash;
  const salt = seed === undefined ? { random: Buffer.from(random(32)).toString("hex") } : { seed };
  return hashContent({
    chainId: chain.chainId,
    registry,
    agentId: agentId.toString(),
    ownerWalletAddress: from,
    validatorAddress: validator,
    tag,
    requestUri: requestUri ?? null,
    ...salt,
  });
}

const agentNotFound = (): Failure => new Failure("agent_not_found", { detail: requestErrors.agent_not_found });
const notTheOwner = (): Failure => new Failure("not_the_owner", { detail: requestErrors.not_the_owner });
