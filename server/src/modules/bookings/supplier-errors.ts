/** What a caller should do about failures that every supplier call can meet; tools spread these into their declared errors. */
export const supplierErrors = {
  provider_timeout: "The supplier did not answer in time. Nothing happened and nothing was charged; try again.",
  provider_unavailable:
    "The supplier cannot serve this now. Nothing happened and nothing was charged; try again later.",
} as const;
