/** Where people allow an agent; the id of its request follows. */
export const CONSENT_PATH = "/oauth/consent";

export const OAUTH_PATHS = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  jwks: "/oauth/jwks",
  end_session: "/oauth/end-session",
} as const;

export const SERVER_METADATA_PATH = "/.well-known/oauth-authorization-server";
