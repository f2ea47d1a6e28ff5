import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { loadCities } from "../../adapters/embedded-places/load.ts";
import { countryAlpha3Codes, toCountryAlpha2 } from "../../domain/countries.ts";

const require = createRequire(import.meta.url);

/** Google's own phone data reader, in another release than the table's: it recognises emergency numbers, but not their services. */
type IsEmergencyNumber = (number: string, territory: string) => boolean;
const phones = z
  .object({ ShortNumberInfo: z.custom<{ getInstance(): { isEmergencyNumber: IsEmergencyNumber } }>() })
  .parse(require("google-libphonenumber"))
  .ShortNumberInfo.getInstance();

/** Each of the 249 codes of ISO 3166-1, which do not include Kosovo's XK. */
const territories = countryAlpha3Codes.flatMap((code) => toCountryAlpha2(code) ?? []).filter((code) => code !== "XK");

/** Territories without a town: points on their islands, from the CIA World Factbook. */
const ISLANDS: Readonly<Record<string, { latitude: number; longitude: number }>> = {
  BV: { latitude: -54.43, longitude: 3.4 },
  HM: { latitude: -53.1, longitude: 73.5 },
  IO: { latitude: -7.33, longitude: 72.42 },
  UM: { latitude: 19.28, longitude: 166.65 },
};

const Numbers = z.array(z.string());
const Emergency = z.object({
  countryCode: z.string(),
  numbers: Numbers,
  agreement: z.string(),
  whatToDo: z.string(),
  other: Numbers,
  services: z.object({ police: Numbers, ambulance: Numbers, fire: Numbers }),
  note: z.string().nullable(),
  source: z.string(),
});
const Aid = z.object({
  countryCode: z.string().nullable(),
  emergency: Emergency,
  otherEmergency: Emergency.nullable(),
  mobileNote: z.string(),
  notes: z.array(z.string()),
});
type Aid = z.output<typeof Aid>;

describe("emergency numbers", () => {
  let service: TestService;
  const aids = new Map<string, Aid>();
  const aid = async (args: object) => Aid.parse(requireResult(await service.call("travel_safety_aid", args)));
  const findEmergency = (code: string) => aids.get(code)?.emergency;

  beforeAll(async () => {
    service = await openSharedService();
    const cities = loadCities();
    for (const code of territories) {
      const [city] = cities.first(1, ({ countryCode }) => countryCode === code);
      const { latitude = 90, longitude = 0 } = city ?? ISLANDS[code] ?? {};
      aids.set(code, await aid({ latitude, longitude }));
    }
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it("are those of the territory that a point lies in, for each of ISO 3166-1", () => {
    expect(aids.size).toBe(249);
    const wrong = [...aids].filter(
      ([code, { countryCode, emergency }]) => countryCode !== code || emergency.countryCode !== code,
    );
    expect(wrong.map(([code, { countryCode }]) => `${code} is ${countryCode}`)).toEqual([]);
  });

  it.each([
    ...[
      ["HK", "999", "999", "999"],
      ["MO", "999", "999", "999"],
      ["BM", "911", "911", "911"],
    ],
    ...[
      ["KY", "911", "911", "911"],
      ["AW", "911", "911", "911"],
      ["CW", "911", "912/911", "911"],
    ],
    ...[
      ["SX", "911", "912/911", "919"],
      ["NU", "999/4333", "999/4202", "999/4133"],
    ],
    ...[
      ["PF", "17", "15", "18"],
      ["AX", "112", "112", "112"],
      ["CC", "000", "000", "000"],
    ],
    ...[
      ["LK", "119", "1990/110", "110"],
      ["SA", "999", "997", "998"],
      ["PE", "105", "106", "116"],
    ],
    ...[
      ["AU", "000", "000", "000"],
      ["SL", "019/900", "117/999", "999/113"],
      ["TM", "02/002", "03/003", "01/001"],
    ],
  ])("of %s are police %s, ambulance %s and fire %s", (code, police = "", ambulance = "", fire = "") => {
    expect(findEmergency(code ?? "")?.services).toMatchObject({
      police: police.split("/"),
      ambulance: ambulance.split("/"),
      fire: fire.split("/"),
    });
  });

  it("are known to libphonenumber if the table says that two sources agree", () => {
    // Those from the ITU and Wikipedia, as the answers' notes say.
    const known = new Set(["EC ambulance", "ET ambulance", "SA fire"]);
    let compared = 0;
    const wrong: string[] = [];
    for (const [code, { emergency }] of aids) {
      if (emergency.agreement !== "both") continue;
      for (const [service, numbers] of Object.entries(emergency.services)) {
        compared += numbers.length;
        if (numbers.some((number) => phones.isEmergencyNumber(number, code)) || numbers.length === 0) continue;
        if (!known.delete(`${code} ${service}`)) wrong.push(`${code} ${service} ${numbers}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(known.size).toBe(0);
    expect(compared).toBeGreaterThan(500);
  });

  it("list all alternatives if sources disagree, and report the disagreement", () => {
    for (const [code, { emergency }] of aids) {
      if (emergency.agreement !== "partial") continue;
      expect([code, emergency.note]).toEqual([code, expect.stringMatching(/./)]);
      if (emergency.numbers.length > 0) expect(emergency.whatToDo).toMatch(/disagree/);
      else expect(emergency.whatToDo).toMatch(/No emergency number is known/);
    }
    expect(findEmergency("LK")?.whatToDo).toMatch(/ambulance 1990 or 110, .* call its next number/);
    expect(findEmergency("GS")?.whatToDo).toMatch(/one source names .* Confirm/);
    for (const code of ["BV", "HM", "PN", "TF", "UM", "AQ", "KP"]) {
      expect([code, findEmergency(code)]).toMatchObject([
        ...[code, { numbers: [], whatToDo: expect.stringMatching(/Ask your hotel, ship or host/) }],
      ]);
    }
  });

  it("are told by service, without the names of their sources", () => {
    expect(findEmergency("PE")).toMatchObject({
      whatToDo:
        "Call the service that you need: police 105, ambulance 106, fire 116. Sources disagree about some of these numbers.",
      note: "Some sources name other numbers: ambulance 117 or 110.",
    });
    expect(findEmergency("BO")?.note).toBe("Some sources name other numbers: ambulance 160 or 165 or 168.");
    expect(findEmergency("PT")).toMatchObject({ whatToDo: expect.not.stringContaining("next"), note: null });
    for (const [code, { emergency }] of aids) {
      const { whatToDo, note, other } = emergency;
      expect([code, whatToDo, note, ...other].join(" ")).not.toMatch(
        /ITU|libphonenumber|Wikipedia|AOSP|US State|\bpress\b/,
      );
    }
  });

  it("promise 112 only where it is every service's number", () => {
    const promised = [...aids].filter(([, { mobileNote }]) => mobileNote.startsWith("112 reaches every service"));
    expect(promised.map(([code]) => code)).toEqual(expect.arrayContaining(["GB", "NL", "SE"]));
    for (const [code, { emergency }] of promised) {
      for (const numbers of Object.values(emergency.services))
        expect([code, numbers]).toEqual([code, expect.arrayContaining(["112"])]);
    }
    expect(aids.get("US")?.mobileNote).toMatch(/^Listed here: 112 from mobiles may redirect/);
    expect(aids.get("FR")?.mobileNote).toBe("112 is a general emergency number here, as listed above.");
    expect(aids.get("JP")?.mobileNote).toMatch(/may reach help, but that is not certain/);
  });

  it("are those of regionCode if the borders know only its parent country, and the answer names both", async () => {
    // A campus of Macau on the mainland's side of the water.
    const hengqin = { latitude: 22.1297, longitude: 113.5454 };
    expect(await aid(hengqin)).toMatchObject({ countryCode: "CN", emergency: { countryCode: "CN" }, notes: [] });
    expect(await aid({ ...hengqin, regionCode: "mo" })).toMatchObject({
      countryCode: "CN",
      emergency: { countryCode: "MO", numbers: ["999"] },
      otherEmergency: { countryCode: "CN" },
      notes: [expect.stringMatching(/are in CN.*regionCode is MO.*of MO/)],
    });
    expect(await aid({ latitude: 0, longitude: -140, regionCode: "PF" })).toMatchObject({
      countryCode: null,
      emergency: { countryCode: "PF" },
      otherEmergency: null,
      notes: [expect.stringMatching(/no known territory/)],
    });
    const hongKong = { latitude: 22.2793, longitude: 114.1628 };
    expect(await aid({ ...hongKong, regionCode: "HK" })).toMatchObject({ emergency: { countryCode: "HK" }, notes: [] });
    expect(await aid({ ...hongKong, regionCode: "CN" })).toMatchObject({
      emergency: { countryCode: "HK" },
      otherEmergency: { countryCode: "CN" },
      notes: [expect.stringMatching(/of HK/)],
    });
  });
});
