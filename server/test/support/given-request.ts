import type { GivenRequest } from "../../src/kernel/call/call-route.ts";
import type { Principal } from "../../src/ports/identity.ts";

/** A request as a surface hands it to a route, without a surface. */
export function givenRequest(request: {
  principal: Principal;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}): GivenRequest {
  const { principal, params = {}, query = {}, body } = request;
  return {
    principals: [principal],
    gone: new AbortController(),
    params,
    query,
    header: () => undefined,
    readText: async () => "",
    readJson: async () => body,
  };
}
