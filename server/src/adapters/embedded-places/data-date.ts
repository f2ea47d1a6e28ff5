/** Of what day the newest of the embedded data of places is; `docs/data-sets.md` has the date of each. */
export const DATA_DATE = "2023-03-05";
