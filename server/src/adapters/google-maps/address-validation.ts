import { z } from "zod";
import { toVisibleText } from "../../domain/visible-text.ts";
import { jsonParser } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { AddressSearch, PostalAddress } from "../../ports/maps.ts";
import { aboutGoogle, askGoogle, type GoogleApi } from "./google-source.ts";

const LONGEST_LABEL = 300;

const parse = jsonParser(
  z.object({
    result: z.object({
      verdict: z.object({
        validationGranularity: z.string().default("OTHER"),
        addressComplete: z.boolean().default(false),
        hasUnconfirmedComponents: z.boolean().default(false),
      }),
      address: z.object({
        formattedAddress: z.string(),
        postalAddress: z.object({ postalCode: z.string().optional() }).default({}),
      }),
      geocode: z
        .object({
          location: z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }),
        })
        .optional(),
    }),
  }),
);

const HOUSES = new Set(["SUB_PREMISE", "PREMISE"]);

/** Whether an address exists, from the Address Validation API. */
export function createGoogleAddresses(api: GoogleApi): Provider<PostalAddress, NonNullable<AddressSearch["found"]>> {
  return {
    ...aboutGoogle,
    async ask({ lines, countryCode, locality, administrativeArea, postalCode }, signal) {
      const address = { regionCode: countryCode, locality, administrativeArea, postalCode, addressLines: lines };
      const { answer, asOf } = await askGoogle(api, {
        path: "/v1:validateAddress",
        json: { address },
        parse,
        signal,
      });
      const { verdict, address: found, geocode } = answer.result;
      if (geocode === undefined) return { answer: undefined, asOf };
      const isHouse =
        HOUSES.has(verdict.validationGranularity) && verdict.addressComplete && !verdict.hasUnconfirmedComponents;
      return {
        answer: {
          ...geocode.location,
          label: toVisibleText(found.formattedAddress, LONGEST_LABEL),
          countryCode,
          precision: isHouse ? "address" : "city",
          unknownPart: null,
          postalCode: found.postalAddress.postalCode ?? null,
        },
        asOf,
      };
    },
  };
}
