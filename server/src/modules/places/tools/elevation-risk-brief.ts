import { z } from "zod";
import { Latitude, Longitude, ProviderProvenance } from "../../../domain/schemas.ts";
import { defineTool } from "../../../kernel/tool.ts";
import type { ElevationAnswer } from "../../../ports/elevation.ts";
import { ADVICE_SOURCE, judgeAltitude } from "../altitude-advice.ts";

const FEET_IN_A_METER = 3.280_84;
const UNTIL_KNOWN = "Find out the elevation of the place, for example from a map. Until then, plan for the highest:";

const sayUnknown = ({ highestMeters }: ElevationAnswer): string =>
  `The land rises and falls too much here to say it from the bundled data. It can be as high as ${highestMeters} m.`;

export const elevationRiskBrief = defineTool({
  name: "elevation_risk_brief",
  title: "Elevation risk brief",
  summary: "The elevation at coordinates and what it means for the health of a traveler from low down.",
  area: "trip",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  uses: ["elevation"],
  input: z.strictObject({ latitude: Latitude, longitude: Longitude }),
  output: ProviderProvenance.extend({
    available: z.boolean(),
    reason: z.string().nullable().describe("Why it is not available"),
    elevationMeters: z.number().nullable().describe("Of the point; near a known summit that of the summit"),
    elevationFeet: z.number().nullable(),
    errorMeters: z
      .number()
      .nullable()
      .describe(
        "95 of 100 measured places were nearer to their true elevation; a steep hill can stand out more. Null: the source does not say",
      ),
    highestPlausibleMeters: z
      .number()
      .nullable()
      .describe("Risk and advice are for it, also where the elevation is not known. Null: the source does not say"),
    basis: z.string().nullable().describe("What the elevation rests on, with its resolution"),
    measuredAtDistanceMeters: z
      .number()
      .nullable()
      .describe("How far away the known place or summit is. Null: it is the point's own"),
    risk: z.enum(["none", "low", "moderate", "high", "extreme"]).nullable(),
    advice: z.array(z.string()).readonly(),
    adviceSource: z.object({ title: z.string(), url: z.string(), asOf: z.string(), isRecalled: z.boolean() }),
  }),
  errors: { provider_unavailable: "No provider of elevations answers. Send the same call later." },
  example: () => ({ latitude: -13.5319, longitude: -71.9675 }),

  async run(position, { elevation, call }) {
    const { elevation: known, provenance } = await elevation.at(position, call.signal);
    const meters = known?.meters;
    const judged = judgeAltitude(known?.highestMeters ?? meters);
    const reason = known === undefined ? "No elevation is known here, such as on the open sea." : sayUnknown(known);
    return {
      available: meters !== undefined,
      reason: meters === undefined ? reason : null,
      elevationMeters: meters === undefined ? null : Math.round(meters),
      elevationFeet: meters === undefined ? null : Math.round(meters * FEET_IN_A_METER),
      errorMeters: known?.errorMeters ?? null,
      highestPlausibleMeters: known?.highestMeters ?? null,
      basis: known?.basis ?? null,
      measuredAtDistanceMeters: known?.distanceMeters ?? null,
      risk: meters === undefined ? null : (judged?.risk ?? null),
      advice: [...(meters === undefined && judged !== undefined ? [UNTIL_KNOWN] : []), ...(judged?.advice ?? [])],
      adviceSource: ADVICE_SOURCE,
      ...provenance,
    };
  },
});
