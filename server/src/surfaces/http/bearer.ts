/** What an `Authorization` header holds. A header that is there and cannot be read must not count as "no key given". */
export type Bearer = { kind: "absent" } | { kind: "malformed" } | { kind: "token"; token: string };

/** RFC 6750, section 2.1; the scheme's name is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,512}=*) *$/i;

export function readBearer(header: string | null | undefined): Bearer {
  if (header === null || header === undefined) return { kind: "absent" };
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? { kind: "malformed" } : { kind: "token", token };
}
