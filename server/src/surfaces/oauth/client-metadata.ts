/** A program's own description, as JSON. */
type Metadata = Readonly<Record<string, unknown>>;

const KEPT = ["redirect_uris", "client_name", "client_uri", "application_type", "contacts"] as const;
const KEPT_GRANTS: readonly string[] = ["authorization_code", "refresh_token"];
const LONGEST_NAME = 200;
const MOST_REDIRECTS = 20;

/**
 * The metadata of a program that registers itself. Every program here is a public client that uses codes: what it asks for
 * beyond that is replaced, as RFC 7591 allows, and the answer says so.
 */
export function tidyRegistration(sent: Metadata): Metadata {
  return { ...tidyCommon(sent), token_endpoint_auth_method: "none" };
}

/** The same for a document at the address that is the program's id. */
export function tidyDocument(sent: Metadata): Metadata {
  const { client_id, token_endpoint_auth_method, client_secret, client_secret_expires_at } = sent;
  const own = { client_id, token_endpoint_auth_method, client_secret, client_secret_expires_at };
  return { ...tidyCommon(sent), ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) };
}

function tidyCommon(sent: Metadata): Metadata {
  const kept = Object.fromEntries(KEPT.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])));
  const grants = Array.isArray(sent.grant_types) ? sent.grant_types.filter((grant) => KEPT_GRANTS.includes(grant)) : [];
  const { redirect_uris: redirects, client_name: name } = kept;
  return {
    ...kept,
    ...(Array.isArray(redirects) ? { redirect_uris: redirects.slice(0, MOST_REDIRECTS) } : {}),
    ...(typeof name === "string" ? { client_name: name.slice(0, LONGEST_NAME) } : {}),
    ...(kept.application_type === undefined && isNative(redirects) ? { application_type: "native" } : {}),
    // A list without codes would be a program that can ask for nothing.
    grant_types: [...new Set(["authorization_code", ...(grants.length === 0 ? KEPT_GRANTS : grants)])],
    response_types: ["code"],
  };
}

/** Whether a program listens on its own machine, or has an address scheme of its own. Many do not say that they are native. */
function isNative(redirects: unknown): boolean {
  if (!Array.isArray(redirects)) return false;
  return redirects.some((redirect) => {
    const url = typeof redirect === "string" ? URL.parse(redirect) : null;
    if (url === null) return false;
    if (url.protocol === "http:") return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
    return url.protocol !== "https:";
  });
}
