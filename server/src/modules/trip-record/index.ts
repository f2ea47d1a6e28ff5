export { RecordCursor, readTripRecord, TripRecordAnswer } from "./describe-record.ts";
export { createTripRecords, insertEntryOfBooking, insertTripEntry } from "./store.ts";
export type { NewTripEntry } from "./trip-record.ts";
