import type { HttpRequest } from "../../http/http.ts";
import type { RpcId } from "../json-rpc.ts";

interface Cancellable {
  /** Aborted when the client is gone or has cancelled the call. Created on demand. */
  readonly signal: AbortSignal;
  end(): void;
}

export interface Cancellations {
  track(keyId: string, request: HttpRequest, id: RpcId): Cancellable;
  cancel(keyId: string, request: HttpRequest, id: RpcId): void;
}

/**
 * Cancels calls in the revisions with a handshake, where a cancellation is a separate message. Without sessions, only the key,
 * the address and the message's id identify the call. If several calls match, none is cancelled: ending a stranger's call would
 * be worse than finishing one in vain.
 */
export function createCancellations(): Cancellations {
  const running = new Map<string, Set<Call>>();
  const callName = (keyId: string, request: HttpRequest, id: RpcId) =>
    `${keyId} ${request.remoteAddress} ${typeof id === "number" ? id : JSON.stringify(id)}`;
  return {
    track(keyId, request, id) {
      const name = callName(keyId, request, id);
      const call: Call = { controller: undefined };
      const same = running.get(name);
      if (same === undefined) running.set(name, new Set([call]));
      else same.add(call);
      return new TrackedCall(request, call, () => {
        const left = running.get(name);
        left?.delete(call);
        if (left?.size === 0) running.delete(name);
      });
    },
    cancel(keyId, request, id) {
      const meant = running.get(callName(keyId, request, id));
      if (meant?.size !== 1) return;
      for (const call of meant) openController(call).abort();
    },
  };
}

/** A class for the same reason as the kernel's `RunningCall`. */
class TrackedCall implements Cancellable {
  readonly end: () => void;
  readonly #request: HttpRequest;
  readonly #call: Call;

  constructor(request: HttpRequest, call: Call, end: () => void) {
    this.#request = request;
    this.#call = call;
    this.end = end;
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.#request.signal, openController(this.#call).signal]);
  }
}

interface Call {
  controller: AbortController | undefined;
}

function openController(call: Call): AbortController {
  call.controller ??= new AbortController();
  return call.controller;
}
