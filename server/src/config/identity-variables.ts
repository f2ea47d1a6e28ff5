import { http, text, url, withDefault } from "./values.ts";

const apiUrl = url("CLERK_API_URL", http, "");

/** The outside identity provider. */
export const identityVariables = {
  clerkSecretKey: text(
    "CLERK_SECRET_KEY",
    "Secret key of a Clerk instance whose API keys tenants use. Tenants with an organization there get their keys from it. Unset: this service issues all keys itself.",
  ),
  clerkApiUrl: withDefault(
    "CLERK_API_URL",
    "https://api.clerk.com/v1",
    "URL of Clerk's Backend API, up to its version.",
    (value) => apiUrl.read(value),
  ),
};
