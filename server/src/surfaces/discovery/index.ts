import type { Routes } from "../http/hosts.ts";
import { type DocumentationOptions, documentationRoutes } from "./documentation.ts";
import { type OpenApiRouteOptions, openApiRoutes } from "./openapi/openapi-route.ts";
import { referenceRoutes } from "./openapi/reference-page.ts";
import { openApiOperation } from "./openapi/service-operations.ts";

interface DiscoveryOptions extends OpenApiRouteOptions, Omit<DocumentationOptions, "security"> {
  securityContact: string | undefined;
  securityContactExpires: Temporal.Instant | undefined;
}

/** The description of the service for people, agents and their tools. Public, the same for everyone, and rendered once. */
export function discoveryRoutes(options: DiscoveryOptions): Routes {
  const { securityContact: contact, securityContactExpires: expires } = options;
  const security = contact === undefined || expires === undefined ? undefined : { contact, expires };
  const documentation = documentationRoutes({ ...options, security });
  return [
    ...openApiRoutes({ ...options, routes: [...options.routes, ...documentation] }),
    ...referenceRoutes(openApiOperation.path),
    ...documentation,
  ];
}
