import { z } from "zod";
import { Latitude, Longitude, ProviderProvenance } from "../../../domain/schemas.ts";
import type { ElevationAnswer } from "../../../ports/elevation.ts";
import { ADVICE_SOURCE, adviseWithoutHeight, judgeAltitude } from "../altitude-advice.ts";
import { defineTool } from "../context.ts";

const FEET_IN_A_METER = 3.280_84;
const OPEN_SEA = "No elevation is known here, such as on the open sea.";

function sayUnknown({ landAround }: ElevationAnswer): string {
  const range =
    landAround === undefined
      ? ""
      : ` Averaged over 3.7 km cells, the land within about 6 km lies between ${landAround.lowestMeters} and ${landAround.highestMeters} m; peaks are higher and valleys lower.`;
  return `The elevation of this spot is not known: the terrain is too uneven here for the bundled data.${range}`;
}

function adviceFor(known: ElevationAnswer | undefined): readonly string[] {
  const highest = known?.highestMeters ?? null;
  return highest === null ? [] : adviseWithoutHeight(known?.landAround?.lowestMeters, highest);
}

export const elevationRiskBrief = defineTool({
  name: "elevation_risk_brief",
  title: "Elevation risk brief",
  summary: "Show the elevation at coordinates and its health effects on a traveler from low altitude.",
  area: "trip",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  uses: ["elevation"],
  input: z.strictObject({ latitude: Latitude, longitude: Longitude }),
  output: ProviderProvenance.extend({
    available: z.boolean(),
    reason: z.string().nullable().describe("Why it is not available"),
    elevationMeters: z.number().nullable().describe("At the point; near a known summit, that of the summit"),
    elevationFeet: z.number().nullable(),
    errorMeters: z
      .number()
      .nullable()
      .describe(
        "95 of 100 measured places were closer to their true elevation than this; a steep hill can differ more. Null: the source does not say",
      ),
    highestPlausibleMeters: z
      .number()
      .nullable()
      .describe(
        "If elevationMeters is known, risk and advice are for it; otherwise an upper bound for the surrounding peaks, not the elevation of this spot. Null: the source does not say",
      ),
    landAround: z
      .object({ lowestMeters: z.number(), highestMeters: z.number() })
      .nullable()
      .describe("If elevationMeters is not known: the range of elevations of the surrounding land, as cell averages"),
    basis: z.string().nullable().describe("The source of the elevation, with its resolution"),
    measuredAtDistanceMeters: z
      .number()
      .nullable()
      .describe("Distance to the known place or summit. Null: the value is for the point itself"),
    risk: z.enum(["none", "low", "moderate", "high", "extreme"]).nullable(),
    advice: z.array(z.string()).readonly(),
    adviceSource: z.object({ title: z.string(), url: z.string(), asOf: z.string(), isRecalled: z.boolean() }),
  }),
  errors: { provider_unavailable: "No elevation provider is answering. Try again later." },
  example: () => ({ latitude: -13.5319, longitude: -71.9675 }),

  async run(position, { elevation, call }) {
    const { elevation: known, provenance } = await elevation.at(position, call.signal);
    const meters = known?.meters;
    const judged = meters === undefined ? undefined : judgeAltitude(known?.highestMeters ?? meters);
    const around = known?.landAround ?? null;
    const reason = known === undefined ? OPEN_SEA : sayUnknown(known);
    return {
      available: meters !== undefined,
      reason: meters === undefined ? reason : null,
      elevationMeters: meters === undefined ? null : Math.round(meters),
      elevationFeet: meters === undefined ? null : Math.round(meters * FEET_IN_A_METER),
      errorMeters: known?.errorMeters ?? null,
      highestPlausibleMeters: known?.highestMeters ?? null,
      landAround: around,
      basis: known?.basis ?? null,
      measuredAtDistanceMeters: known?.distanceMeters ?? null,
      risk: judged?.risk ?? null,
      advice: judged?.advice ?? adviceFor(known),
      adviceSource: ADVICE_SOURCE,
      ...provenance,
    };
  },
});
