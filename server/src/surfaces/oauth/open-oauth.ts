import type Provider from "oidc-provider";
import type { SignIn } from "../../ports/sign-in.ts";
import type { Admitted } from "../http/admission.ts";
import type { Routes } from "../http/hosts.ts";
import type { HttpRequest } from "../http/http.ts";
import type { RateLimiter } from "../http/limits/rate-limiter.ts";
import type { RefusalLimit } from "../http/limits/refusal-limit.ts";
import type { OriginGuard } from "../http/origin-guard.ts";
import { createAgentAdmission } from "./agent-admission.ts";
import type { AuthorizationServerOptions } from "./authorization-server.ts";
import { consentPages } from "./consent-pages.ts";
import { oauthRoutes } from "./oauth-routes.ts";
import { challenge, createResources, type ProtectedHost, resourceMetadataRoutes } from "./resources.ts";

interface OauthOptions
  extends Pick<AuthorizationServerOptions, "agents" | "vault" | "clock" | "log" | "publicRequests"> {
  signIn: Pick<SignIn, "find" | "memberships">;
  app: ProtectedHost;
  edge: ProtectedHost;
  allowedHosts: readonly string[];
  refuseOrigin: OriginGuard;
  perKey: RateLimiter;
  refused: RefusalLimit;
}

type ByHost<Value> = Readonly<Record<"app" | "edge", Value>>;

interface Oauth {
  routes: ByHost<Routes>;
  challenge: ByHost<(request: HttpRequest) => string>;
  admitAgent(request: HttpRequest): Promise<Admitted | undefined>;
}

/** Authorization of MCP clients: the application host grants, and both hosts' MCP endpoints take the tokens. */
export function openOauth(options: OauthOptions): Oauth {
  const { app, edge } = options;
  const issuer = new URL(app.url).origin;
  const hosts = [app, edge];
  const resources = createResources({ hosts, allowedHosts: options.allowedHosts });
  const defaultResource = `${issuer}${app.mcpPath}`;
  const provider = makeOnce(async () => {
    // Loaded when somebody first connects an agent: the library costs a start more than anything else of this surface.
    const { createAuthorizationServer } = await import("./authorization-server.ts");
    return createAuthorizationServer({ ...options, issuer, resources, defaultResource });
  });
  const common = { ...options, provider, issuer, resources };
  const challengeFor = (host: ProtectedHost) => (request: HttpRequest) =>
    challenge(resources.ofRequest(host, request), request.header("authorization") !== undefined);
  return {
    routes: {
      app: [...oauthRoutes(common), ...consentPages(common), ...resourceMetadataRoutes(app, common)],
      edge: resourceMetadataRoutes(edge, common),
    },
    challenge: { app: challengeFor(app), edge: challengeFor(edge) },
    admitAgent: createAgentAdmission({ ...options, resources, hosts }),
  };
}

function makeOnce(make: () => Promise<Provider>): () => Promise<Provider> {
  let made: Promise<Provider> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
