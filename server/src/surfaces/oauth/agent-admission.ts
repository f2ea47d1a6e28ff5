import { Failure } from "../../domain/errors.ts";
import type { ConnectedAgents } from "../../ports/connected-agents.ts";
import { type Admitted, readBearer } from "../http/admission.ts";
import type { HttpRequest } from "../http/http.ts";
import { addressGroup } from "../http/limits/client-address.ts";
import { type RateLimiter, takeOrThrow } from "../http/limits/rate-limiter.ts";
import type { RefusalLimit } from "../http/limits/refusal-limit.ts";
import type { ProtectedHost, Resources } from "./resources.ts";

interface AgentAdmissionOptions {
  agents: Pick<ConnectedAgents, "findPrincipal">;
  resources: Resources;
  hosts: readonly ProtectedHost[];
  perKey: RateLimiter;
  refused: RefusalLimit;
}

/** The form of an access token, which is longer than a key or an internal token. */
const ACCESS_TOKEN = /^[A-Za-z0-9_-]{48}$/;

/** Admits an agent that a person has connected to the MCP endpoint that its token is for, and nowhere else. */
export function createAgentAdmission(
  options: AgentAdmissionOptions,
): (request: HttpRequest) => Promise<Admitted | undefined> {
  const { agents, resources, hosts, perKey, refused } = options;
  return async (request) => {
    const host = hosts.find(({ mcpPath }) => mcpPath === request.path);
    const bearer = readBearer(request.header("authorization"));
    if (host === undefined || bearer.kind !== "token" || !ACCESS_TOKEN.test(bearer.token)) return undefined;
    const resource = resources.ofRequest(host, request);
    const find = (fresh: boolean) => agents.findPrincipal(bearer.token, resource, { fresh });
    const principal = await refused.judge(
      addressGroup(request.remoteAddress),
      () => find(false),
      (outcome) => outcome.status === "fulfilled" && outcome.value === undefined,
    );
    if (principal === undefined) throw tokenRefused();
    takeOrThrow(perKey, principal.keyId);
    return { principal, confirm: () => find(true) };
  };
}

function tokenRefused(): Failure {
  return new Failure("unauthorized", {
    detail:
      "The access token has expired, was revoked, or is for another endpoint. Refresh it, or connect again: the WWW-Authenticate header says where.",
  });
}
