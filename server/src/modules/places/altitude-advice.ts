/** The risk of a sleeping altitude for people who come from low altitude, in the bands of travel medicine. */
type AltitudeRisk = "none" | "low" | "moderate" | "high" | "extreme";

const BANDS: readonly { fromMeters: number; risk: AltitudeRisk; advice: readonly string[] }[] = [
  {
    fromMeters: 5_500,
    risk: "extreme",
    advice: [
      "No one stays healthy here for long. Go only with guides, oxygen and a planned way down.",
      "Headache, nausea, confusion or breathlessness at rest: go down at once.",
    ],
  },
  {
    fromMeters: 3_500,
    risk: "high",
    advice: [
      "Altitude sickness is common. Spend two or three nights at 2,450 to 2,750 m before sleeping here.",
      "Above 2,750 m, sleep at most 500 m higher each night, with an extra night for every 1,000 m.",
      "Before the trip, ask a doctor about medicine for altitude sickness, especially with heart or lung disease or during pregnancy.",
      "If symptoms get worse, go down; with confusion or breathlessness at rest, go down at once.",
    ],
  },
  {
    fromMeters: 2_500,
    risk: "moderate",
    advice: [
      "Altitude sickness is possible. Avoid going from low altitude to sleep above 2,750 m in one day.",
      "Drink no alcohol and take only light exercise for the first 48 hours.",
      "Ask a doctor before the trip if you have heart or lung disease, are pregnant, or have had altitude sickness before.",
    ],
  },
  {
    fromMeters: 1_500,
    risk: "low",
    advice: ["Altitude sickness is rare. Drink enough, and take it easy on the first day."],
  },
  { fromMeters: Number.NEGATIVE_INFINITY, risk: "none", advice: ["No precautions for altitude are needed."] },
];

/** Written from memory of that chapter and not checked against it. */
export const ADVICE_SOURCE = {
  title: "CDC Yellow Book 2024, High Elevation Travel and Altitude Illness",
  url: "https://wwwnc.cdc.gov/travel/yellowbook/2024/environmental-hazards-risks/high-elevation-travel-and-altitude-illness",
  asOf: "2023-05-01",
  isRecalled: true,
};

/** Advice where only bounds are known: the height of nearby peaks says nothing about the spot itself. */
export function adviseWithoutHeight(lowestMeters: number | undefined, highestMeters: number): readonly string[] {
  const atLeast = judgeAltitude(lowestMeters);
  const atMost = judgeAltitude(highestMeters);
  if (atMost?.risk === "none") return atMost.advice;
  const check =
    "Check the elevation of this spot before you plan, for example on a topographic map or with your accommodation.";
  if (lowestMeters === undefined || lowestMeters < HIGH_METERS || atLeast === undefined) return [check, IF_HIGH];
  return [check, `Even the lowest surrounding land is at about ${lowestMeters} m:`, ...atLeast.advice];
}

/** Below this, advice for the lowest land around could understate the height of the spot. */
const HIGH_METERS = 2_500;
const IF_HIGH =
  "If it is above 2,500 m, altitude sickness is possible: do not go there from low altitude to sleep in one day.";

export function judgeAltitude(meters: number | undefined) {
  return BANDS.find(({ fromMeters }) => meters !== undefined && meters >= fromMeters);
}
