import type { OutsideCallLog } from "../../ports/outside-calls.ts";
import { beginRecord, describeRequest, stateOfStatus } from "../http-client/recorded-calls.ts";

export class AnswerTooLarge extends Error {
  constructor(maximumBytes: number) {
    super(`the model's answer is longer than ${maximumBytes} bytes`);
    this.name = "AnswerTooLarge";
  }
}

/**
 * Streams an answer up to a size. Redirects fail, as they would take the key elsewhere. `node:http`'s certainty about what was sent
 * is not needed here: a step of a model has no effect. A recorded call ends with the first byte of its answer.
 */
export function createBoundedFetch(maximumBytes: number, calls: OutsideCallLog): typeof fetch {
  return async (input, init) => {
    const response = await fetchRecorded(calls, input, init);
    let received = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        received += chunk.byteLength;
        if (received > maximumBytes) controller.error(new AnswerTooLarge(maximumBytes));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers, body } = response;
    return new Response(body?.pipeThrough(counter) ?? null, { status, statusText, headers });
  };
}

async function fetchRecorded(calls: OutsideCallLog, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const end = beginRecord(calls, "model");
  const operation = describeRequest(init?.method ?? "POST", input instanceof Request ? input.url : input);
  try {
    const response = await fetch(input, { ...init, redirect: "error" });
    const { status, headers } = response;
    const requestId = headers.get("x-request-id") ?? headers.get("request-id") ?? undefined;
    end?.({ operation, state: stateOfStatus(status), status, requestId });
    return response;
  } catch (error) {
    end?.({ operation, state: "unanswered", problem: init?.signal?.aborted === true ? "aborted" : "unreachable" });
    throw error;
  }
}
