export { RecordCursor, readTripRecord, TripRecordAnswer } from "./describe-record.ts";
export { insertEntryOfBooking, insertTripEntries, insertTripEntry, selectTrip } from "./store.ts";
export type { NewTripEntry, TripOwner } from "./trip-record.ts";
