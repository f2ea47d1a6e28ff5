import { requestHash } from "../../../domain/request-hash.ts";

/** What an authorization pays for: it is good for this request only, by whomever it is sent again. */
export function requestHashOf(request: {
  tool: string;
  args: unknown;
  tenantId: string | null;
  keyId: string | null;
}): string {
  return requestHash(request);
}
