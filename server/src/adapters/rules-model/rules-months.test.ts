import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const sunOn = (date: string, hour: string) => ({
  date,
  sunriseLocal: `${date}T0${hour}:11:00`,
  sunsetLocal: `${date}T18:00:00`,
});
const answers = {
  trip_weather_brief: {
    available: false,
    sun: [sunOn("2026-11-27", "7"), sunOn("2026-12-01", "8"), sunOn("2027-02-01", "5"), sunOn("2027-03-01", "6")],
  },
};

describe("the sun", () => {
  it.each([
    ["en", "What will the weather be like in Porto in early March?", /Sunrise 6:11.*Mar 1, 2027/],
    ["de", "Wie wird das Wetter Anfang März in Porto?", /Sonnenaufgang 6:11.*1\. März 2027/],
    ["es", "¿Qué tiempo hará en Oporto a principios de marzo?", /Amanece a las 6:11.*1 mar 2027/],
    ["en", "What will the weather be like in Porto on 10 February?", /Sunrise 5:11.*Feb 1, 2027/],
    ["de", "Wie wird das Wetter am 10. Februar in Porto?", /Sonnenaufgang 5:11/],
    ["es", "¿Qué tiempo hará en Oporto el 10 de febrero?", /Amanece a las 5:11/],
    ["en", "How is the weather in Porto?", /Sunrise 7:11/],
  ])("is of the time that is asked about, in %s: %s", async (locale, said, expected) => {
    const [turn] = await talkWithRules([said], { locale, answers });
    expect(turn?.text).toMatch(expected);
  });
});

describe("entry in a month", () => {
  it.each([
    ["en", "Does a German citizen need a visa for Peru in February?"],
    ["de", "Brauche ich als Deutscher im Februar ein Visum für Peru?"],
    ["es", "Soy alemán, ¿necesito visado para Perú en febrero?"],
  ])("is of that month, in %s", async (locale, said) => {
    const turns = await talkWithRules([said], { locale });
    const { args } = turns[0]?.calls.find(({ name }) => name === "check_trip_eligibility") ?? {};
    expect(args).toMatchObject({ legs: [{ destinationIso3: "PER", departureDate: "2027-02-01" }] });
  });
});
