import { invalidInput } from "../../domain/errors.ts";
import { readWebOrigin } from "../../domain/web-origins.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "invitations.claimLinks": ClaimLinks;
  }
}

/** The allowed origins of guest links. */
interface ClaimLinks {
  /** The application host's own, such as `https://app.example.com`. */
  defaultOrigin: string;
  /** Further origins by the operator's choice: for every tenant, and for this one. Read each time. */
  otherOrigins(tenantId: string): Promise<readonly string[]>;
}

/** Throws a Failure that names the allowed ones. */
export async function allowedOrigin(
  claimLinks: ClaimLinks,
  tenantId: string,
  wanted: string | undefined,
): Promise<string> {
  const { defaultOrigin } = claimLinks;
  if (wanted === undefined) return defaultOrigin;
  const origin = readWebOrigin(wanted);
  const allowed = [...new Set([defaultOrigin, ...(await claimLinks.otherOrigins(tenantId))])];
  if (origin !== undefined && allowed.includes(origin)) return origin;
  const message = `must be an origin that the operator allows for your guest links: ${allowed.join(", ")}. If omitted, the first is used. The operator of this service allows another https origin with: npm run tenant -- link-origins ${tenantId} --add <origin>`;
  throw invalidInput([{ path: "linkOrigin", message }]);
}
