/** Tables of the identity migration. */
export type IdentityTables = Record<never, never>;
