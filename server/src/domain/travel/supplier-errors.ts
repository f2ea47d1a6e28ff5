/** For tools that book offers priced in another currency. */
export const rateErrors = {
  rate_stale: "The exchange rate of the offer's currency is too old. Choose an offer in USD, or try again later.",
  rate_not_available: "There is no exchange rate for the offer's currency. Choose an offer in another currency.",
} as const;

/** The caller's next action for failures of any supplier call; tools spread these into their declared errors. */
export const supplierErrors = {
  provider_timeout: "The supplier did not answer in time. Nothing happened and nothing was charged; try again.",
  provider_unavailable:
    "The supplier cannot serve this now. Nothing happened and nothing was charged; try again later.",
} as const;
