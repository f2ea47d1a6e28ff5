import { currentSubject } from "../../domain/trace.ts";
import type { HttpClient } from "./http-client.ts";

/** A simulator reads it, so that a fault can be armed for one tenant. */
const SANDBOX_TENANT = "x-sandbox-tenant";

/** The client for a simulator, which is told for which tenant it is asked. Never for a system of others. */
export function markedClient(http: HttpClient): HttpClient {
  return {
    close: () => http.close(),
    send(request) {
      const subject = currentSubject();
      if (subject === undefined) return http.send(request);
      return http.send({ ...request, headers: { ...request.headers, [SANDBOX_TENANT]: subject.tenantId } });
    },
  };
}
