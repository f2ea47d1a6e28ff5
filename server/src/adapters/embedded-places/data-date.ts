/** The date of the newest embedded data of places; `docs/data-sets.md` has the date of each data set. */
export const DATA_DATE = "2023-03-05";
