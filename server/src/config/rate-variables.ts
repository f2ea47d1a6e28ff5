import { http, url, wholeNumber, withDefault } from "./values.ts";

/** Exchange rates, and how what is priced in other currencies is sold at them. */
export const rateVariables = {
  fxRatesUrl: url(
    "FX_RATES_URL",
    http,
    "The daily XML of euro reference rates of the European Central Bank. Unset: rates of one day that come with the service.",
  ),
  fxMarginBps: withDefault(
    "FX_MARGIN_BPS",
    "0",
    "What is added to an exchange rate when an offer in another currency than US dollars is booked, in hundredths of a percent.",
    wholeNumber(0, 2_000),
  ),
  fxMostAgeHours: withDefault(
    "FX_MAX_AGE_HOURS",
    "24",
    "Nothing is booked at an exchange rate whose day was over longer ago, Saturdays and Sundays not counted. In the sandbox the rates that come with the service are never too old.",
    wholeNumber(1, 1_000),
  ),
};
