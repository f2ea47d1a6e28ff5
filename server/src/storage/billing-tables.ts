/** Tables of the billing migration. */
export type BillingTables = Record<never, never>;
