import { z } from "zod";
import { Latitude, Longitude, ProviderProvenance } from "../../../domain/schemas.ts";
import { defineTool } from "../../../kernel/tool.ts";
import { ADVICE_SOURCE, judgeAltitude } from "../altitude-advice.ts";

const FEET_IN_A_METER = 3.280_84;

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
    elevationMeters: z.number().nullable(),
    elevationFeet: z.number().nullable(),
    basis: z.string().nullable().describe("What the elevation rests on, with its resolution"),
    measuredAtDistanceMeters: z
      .number()
      .nullable()
      .describe("How far away the known place is; in mountains its elevation says little. Null: it is the point's own"),
    risk: z.enum(["none", "low", "moderate", "high", "extreme"]).nullable(),
    advice: z.array(z.string()).readonly(),
    adviceSource: z.object({ title: z.string(), url: z.string(), asOf: z.string(), isRecalled: z.boolean() }),
  }),
  errors: { provider_unavailable: "No provider of elevations answers. Send the same call later." },
  example: () => ({ latitude: -13.5319, longitude: -71.9675 }),

  async run(position, { elevation, call }) {
    const { elevation: known, provenance } = await elevation.at(position, call.signal);
    const judged = known === undefined ? undefined : judgeAltitude(known.meters);
    return {
      available: known !== undefined,
      reason: known === undefined ? "No elevation is known here, such as on the open sea or far from any city." : null,
      elevationMeters: known === undefined ? null : Math.round(known.meters),
      elevationFeet: known === undefined ? null : Math.round(known.meters * FEET_IN_A_METER),
      basis: known?.basis ?? null,
      measuredAtDistanceMeters: known?.distanceMeters ?? null,
      risk: judged?.risk ?? null,
      advice: judged?.advice ?? [],
      adviceSource: ADVICE_SOURCE,
      ...provenance,
    };
  },
});
