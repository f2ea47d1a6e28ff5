/** Tenants choose their users' ids; ids that begin with `svc:` are made here, one per key. */

const USER_ID = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/;
const SERVICE_PREFIX = "svc:";

export const USER_ID_RULE = "1 to 128 letters, digits and . _ : @ + -, beginning with a letter or digit";

export function isUserId(text: string): boolean {
  return USER_ID.test(text);
}

export function buildServiceAccountId(keyId: string): string {
  return `${SERVICE_PREFIX}${keyId}`;
}

/** The key of a service account; undefined for an ordinary user. */
export function findKeyId(userId: string): string | undefined {
  return userId.startsWith(SERVICE_PREFIX) ? userId.slice(SERVICE_PREFIX.length) : undefined;
}

export const GUEST_PREFIX = "guest_";

/**
 * The guest of a trip, as a user of the trip's tenant. Each trip has its own, since a guest link proves nothing else: two trips
 * for one address or wallet must not open each other's profile.
 */
export const buildGuestUserId = (tripId: string): string => `${GUEST_PREFIX}${tripId.slice(2)}`;

/** The trip whose guest the user is; undefined for other users. */
export const tripOfGuest = (userId: string): string | undefined =>
  userId.startsWith(GUEST_PREFIX) ? `0x${userId.slice(GUEST_PREFIX.length)}` : undefined;

/** The traveler of the demo tenant's service accounts. */
export const DEMO_TRAVELER_ID = "user_demo";
