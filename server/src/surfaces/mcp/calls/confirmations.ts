import { hash } from "node:crypto";
import { CLIENT_CAPABILITIES_META_KEY, inputResponse, PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import { z } from "zod";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { newId } from "../../../domain/ids.ts";
import type { Confirming } from "../../../kernel/contracts/charge.ts";
import type { ConfirmationRequired } from "../../../kernel/contracts/gate.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Principal } from "../../../ports/identity.ts";
import type { Vault } from "../../../ports/vault.ts";
import { isObject } from "../../http/bodies/json-body.ts";
import { CONFIRM } from "./tool-answer.ts";

/** A question is answered within this time. */
const MINUTES = 10;
const LONGEST_STATE = 4_000;

export interface AskedCall {
  tool: string;
  args: Readonly<Record<string, unknown>>;
  principal: Pick<Principal, "tenantId" | "environment" | "keyId">;
  userId: string | undefined;
  idempotencyKey: string | undefined;
}

/** The parts of a message with which a client sends a person's answer. */
export interface GivenAnswer {
  requestState?: unknown;
  inputResponses?: unknown;
}

export interface ReadAnswer {
  confirming: Confirming;
  /** Equal for every repetition of one answer, so that a yes is used once. Undefined: there is no yes. */
  idempotencyKey: string | undefined;
}

const Sealed = z.object({ planHash: z.string(), id: z.string(), expiresAt: z.number() });

/**
 * Questions to the person at the client. They are not stored: the client carries each, encrypted and bound to the caller and to
 * the call, and sends it back with the answer.
 */
export class Confirmations {
  readonly #vault: Vault;
  readonly #clock: Clock;

  constructor({ vault, clock }: { vault: Vault; clock: Clock }) {
    this.#vault = vault;
    this.#clock = clock;
  }

  seal({ planHash }: ConfirmationRequired, call: AskedCall): string {
    const now = this.#clock.now();
    const expiresAt = now.add({ minutes: MINUTES }).epochMilliseconds;
    const id = newId("confirmed_", now.epochMilliseconds);
    return this.#vault.encrypt(JSON.stringify({ planHash, id, expiresAt }), describeCall(call));
  }

  /** Throws if the state was not made for this call, or if the person did not say yes. */
  read({ requestState, inputResponses }: GivenAnswer, call: AskedCall): ReadAnswer {
    if (requestState === undefined) return { confirming: {}, idempotencyKey: undefined };
    const { planHash, id, expiresAt } = this.#open(requestState, call);
    const answer = inputResponse(isObject(inputResponses) ? inputResponses : undefined, CONFIRM);
    if (answer.kind !== "elicit") return { confirming: {}, idempotencyKey: undefined };
    if (answer.action !== "accept") throw notConfirmed(answer.action);
    if (expiresAt <= this.#clock.now().epochMilliseconds)
      return { confirming: { isExpired: true }, idempotencyKey: undefined };
    return { confirming: { confirmedPlan: planHash }, idempotencyKey: id };
  }

  #open(requestState: unknown, call: AskedCall): z.output<typeof Sealed> {
    if (typeof requestState !== "string" || requestState.length > LONGEST_STATE) throw badState();
    try {
      return Sealed.parse(JSON.parse(this.#vault.decrypt(requestState, describeCall(call))));
    } catch {
      throw badState();
    }
  }
}

/** Whether the client shows forms, which is also meant where it names no mode. Only the stateless revision carries questions in answers. */
export function canAsk(meta: Readonly<Record<string, unknown>>): boolean {
  if (!(PROTOCOL_VERSION_META_KEY in meta)) return false;
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  return isObject(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
}

function describeCall({ tool, args, principal, userId, idempotencyKey }: AskedCall): string {
  const { tenantId, environment, keyId } = principal;
  const argsHash = hash("sha256", canonicalJson(args), "base64url");
  const facts = [tenantId, environment, keyId, userId ?? null, tool, argsHash, idempotencyKey ?? null];
  return `mcp confirmation:${JSON.stringify(facts)}`;
}

function badState(): Failure {
  return invalidInput([
    {
      path: "requestState",
      message: "must be the one that the question to this very call had. Send the call again without it.",
    },
  ]);
}

function notConfirmed(action: "decline" | "cancel"): Failure {
  const said =
    action === "decline" ? "The person at the client declined" : "The person at the client closed the question";
  return new Failure("not_confirmed", {
    detail: `${said}, so nothing was done. Ask what they want instead; do not send this call again unless they ask for it.`,
    extra: { action },
  });
}
