/** Tables of the booking migration. */
export type BookingTables = Record<never, never>;
