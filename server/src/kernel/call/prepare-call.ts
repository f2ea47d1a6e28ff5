import { Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import { discounted } from "../../domain/money.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment, Principal } from "../../ports/identity.ts";
import {
  type CallPlan,
  type LazyPlan,
  type PurposeCall,
  planNothing,
  planOnce,
  planOrRefusal,
} from "../contracts/call-plan.ts";
import { type Catalog, type CatalogEntry, findTool } from "../contracts/catalog.ts";
import type { Charge, PendingCall } from "../contracts/charge.ts";
import type { Gate } from "../contracts/gate.ts";
import type { HasDuties, Invocation, Payer } from "../contracts/invocation.ts";
import type { AllPorts, Caller, Tool } from "../contracts/tool.ts";
import { authorize, buildCaller, buildOwner, findDiscountPercent, isSomebodyElse } from "./caller.ts";
import { readArguments } from "./read-arguments.ts";

export interface PreparingOptions {
  catalog: Catalog;
  charge: Charge;
  /** In order. */
  gates: readonly Gate[];
  /** Undefined if this environment is switched off. */
  portsFor(environment: Environment): AllPorts | undefined;
  hasDuties: HasDuties;
  clock: Clock;
  random?: RandomBytes;
}

export interface PreparedCall {
  entry: CatalogEntry;
  charge: Charge;
  call: PendingCall;
  caller: Caller;
  ports: AllPorts;
  input: unknown;
  plan: LazyPlan;
}

/** The first steps of a call, shared with previews: find → scope → validate, and the plan, computed on demand. */
export async function prepareCall(options: PreparingOptions, invocation: Invocation): Promise<PreparedCall> {
  const entry = findTool(options.catalog, invocation.toolName);
  const { charge = options.charge } = invocation;
  const authorizing = authorize(entry, invocation);
  const principal = authorizing instanceof Promise ? await authorizing : authorizing;
  const ports = requirePorts(options, principal.environment);
  const input = readArguments(entry.tool, invocation.args, principal, ports);
  const judging = isSomebodyElse(invocation.userId, principal, options.hasDuties);
  const isElse = typeof judging === "boolean" ? judging : await judging;
  const owner = buildOwner(invocation.userId, principal, isElse);
  const call = pendingCall(entry.tool, principal, invocation, { paidBy: charge.paidBy, owner }, options);
  const caller = buildCaller(call, principal, invocation);
  const { plan: work } = entry.tool;
  const plan = work === undefined ? planNothing : planOnce(() => work(input, ports, caller));
  return { entry, charge, call, caller, ports, input, plan };
}

function requirePorts({ portsFor }: PreparingOptions, environment: Environment): AllPorts {
  const ports = portsFor(environment);
  if (ports !== undefined) return ports;
  throw new Failure("sandbox_unavailable", {
    detail: "This deployment runs without the sandbox. Use a production key.",
  });
}

function pendingCall(
  tool: Tool,
  principal: Principal | Payer,
  invocation: Invocation,
  { paidBy, owner }: Pick<PendingCall, "paidBy"> & { owner: ReturnType<typeof buildOwner> },
  options: PreparingOptions,
): PendingCall {
  const { traceId, surface, idempotencyKey, isKeyNew, policyId, confirming, purpose, args } = invocation;
  const { clock, random = systemRandom } = options;
  const startedAt = clock.now();
  const discountPercent = findDiscountPercent(principal);
  return {
    id: newId("call_", startedAt.epochMilliseconds, random),
    traceId,
    surface,
    tool,
    tenantId: owner.tenantId,
    keyId: owner.keyId,
    subject: owner.subject,
    namedUserId: owner.namedUserId,
    travelerId: owner.travelerId,
    environment: principal.environment,
    paidBy,
    listPrice: tool.price,
    discountPercent,
    price: discounted(tool.price, discountPercent),
    startedAt,
    idempotencyKey,
    isKeyNew,
    policyId,
    confirming,
    purpose: purpose && planOnce(() => planPurpose(options, invocation, purpose)),
    rulesVersion: undefined,
    args,
  };
}

/** A later call that would be refused has no plan to show. */
function planPurpose(
  options: PreparingOptions,
  invocation: Invocation,
  { tool: toolName, args }: PurposeCall,
): Promise<CallPlan> {
  return planOrRefusal(async () => {
    const { plan } = await prepareCall(options, { ...invocation, toolName, args, purpose: undefined });
    return await plan();
  });
}
