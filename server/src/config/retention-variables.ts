import { text, wholeNumber, withDefault } from "./values.ts";

/** How long records are kept. */
export const retentionVariables = {
  keepGuestsDays: withDefault(
    "KEEP_GUESTS_DAYS",
    "90",
    "Days after a trip's end for which the guest's address and the buyer's details about the guest are kept.",
    wholeNumber(1, 36_500),
  ),
  keepTravelersDays: withDefault(
    "KEEP_TRAVELERS_DAYS",
    "0",
    "Days after which a traveler is erased if the profile was neither written nor used for a booking since. 0: never automatically.",
    wholeNumber(0, 36_500),
  ),
  keepUsageMonths: withDefault(
    "KEEP_USAGE_MONTHS",
    "0",
    "Months for which usage records are kept, in addition to the current one; their hourly and daily totals stay. 0: permanently.",
    wholeNumber(0, 1_200),
  ),
  keepRecordsDays: withDefault(
    "KEEP_RECORDS_DAYS",
    "30",
    "Days for which records of calls to the supplier, chains, maps and other third parties are kept, and at most the newest 20000 of a tenant.",
    wholeNumber(1, 3_650),
  ),
  keepAuditDays: withDefault(
    "KEEP_AUDIT_DAYS",
    "0",
    "Days for which lines of the audit log are kept, at least 90. 0: permanently.",
    (value) => (value === "0" ? 0 : wholeNumber(90, 36_500)(value)),
  ),
  usageExportDir: text(
    "USAGE_EXPORT_DIR",
    "Folder to which usage records are exported before they are removed, as compressed JSON lines. Unset: no export.",
  ),
};
