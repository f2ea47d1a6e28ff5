import { EventEmitter, once } from "node:events";
import type { Answer, CallRequest } from "./call.ts";

/** A call that was answered with 200: what the caller may rely on from now on. */
export interface Acknowledgement {
  round: number;
  tool: string;
  userId: string | undefined;
  key: string | undefined;
  args: Readonly<Record<string, unknown>>;
  meterId: string | undefined;
  priceMicroUsdc: bigint | undefined;
  replayed: boolean;
  signed: boolean;
  /** Undefined where the call did not ask to keep it. */
  result: unknown;
}

/** Callers' requests and answers, checked against the books afterwards. */
export interface History {
  round: number;
  readonly operations: number;
  readonly acknowledgements: readonly Acknowledgement[];
  /** Whether each of these tools was acknowledged. */
  covered(tools: readonly string[]): Map<string, boolean>;
  /** How often each refusal, by its code. */
  readonly refusals: ReadonlyMap<string, number>;
  record(request: CallRequest, answer: Answer): void;
  /** Resolves at the next acknowledgement, or rejects when the signal ends the wait. */
  nextAcknowledgement(signal: AbortSignal): Promise<void>;
}

/** @param whole of a run, which records whatever this part of it does. */
export function createHistory(whole?: History): History {
  const acknowledgements: Acknowledgement[] = [];
  const refusals = new Map<string, number>();
  const events = new EventEmitter();
  let operations = 0;
  let round = 0;
  return {
    get round() {
      return whole?.round ?? round;
    },
    set round(next) {
      round = next;
    },
    get operations() {
      return operations;
    },
    acknowledgements,
    covered(tools) {
      const seen = new Set(acknowledgements.map(({ tool }) => tool));
      return new Map(tools.map((tool) => [tool, seen.has(tool)]));
    },
    refusals,
    record(request, answer) {
      operations += 1;
      whole?.record(request, answer);
      if (answer.kind !== "ok") {
        refusals.set(answer.code, (refusals.get(answer.code) ?? 0) + 1);
        return;
      }
      const { tool, userId, key, args } = request;
      const { meterId, priceMicroUsdc, replayed, signed } = answer;
      const result = request.keepResult === true ? answer.result : undefined;
      acknowledgements.push({
        round: this.round,
        tool,
        userId,
        key,
        args,
        meterId,
        priceMicroUsdc,
        replayed,
        signed,
        result,
      });
      events.emit("acknowledged");
    },
    async nextAcknowledgement(signal) {
      await once(events, "acknowledged", { signal });
    },
  };
}
