import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe("validate_travel_address", () => {
  const validate = async (args: object) => requireResult(await service.call("validate_travel_address", args));
  const berlin = { addressLines: ["Unter den Linden 77"], regionCode: "DE", locality: "Berlin", postalCode: "10117" };
  const problem = (field: string, kind: string) => [expect.objectContaining({ field, problem: kind })];

  it("confirms the form and says what was not verified", async () => {
    const found = await validate(berlin);
    expect(found).toMatchObject({
      source: "embedded-places",
      sourceLevel: "embedded",
      fallbackFrom: [],
      verdict: "STRUCTURE_OK",
      problems: [],
      deliverability: "not_checked",
      confirmedAs: null,
      formattedAddress: ["Unter den Linden 77", "10117 Berlin"],
      knownCity: "Berlin, Germany",
    });
    expect(found.notVerified).toContain("that the street and the house exist");
  });

  it.each<[string, object, string, unknown]>([
    ["a missing postal code", { ...berlin, postalCode: "" }, "INCOMPLETE", problem("postalCode", "missing")],
    [
      "a postal code of another form",
      { ...berlin, postalCode: "1011" },
      "INVALID",
      problem("postalCode", "invalid_format"),
    ],
    [
      "the wrong order",
      { ...berlin, addressLines: ["Unter den Linden 77", "Berlin 10117"] },
      "INVALID",
      problem("addressLines", "wrong_order"),
    ],
    [
      "the city before the street",
      { ...berlin, addressLines: ["Berlin", "Unter den Linden 77"] },
      "INVALID",
      problem("addressLines", "wrong_order"),
    ],
    [
      "a postal code of another state",
      {
        addressLines: ["1 Main St"],
        regionCode: "us",
        locality: "Boston",
        administrativeArea: "MA",
        postalCode: "90210",
      },
      "INVALID",
      problem("postalCode", "not_in_area"),
    ],
    [
      "a state that is none",
      {
        addressLines: ["1 Main St"],
        regionCode: "US",
        locality: "Boston",
        administrativeArea: "Bavaria",
        postalCode: "02110",
      },
      "INVALID",
      problem("administrativeArea", "unknown_area"),
    ],
    [
      "a code where there are none",
      { addressLines: ["1 Nathan Road"], regionCode: "HK", administrativeArea: "Kowloon", postalCode: "00000" },
      "INVALID",
      problem("postalCode", "invalid_format"),
    ],
  ])("finds %s", async (_what, args, verdict, problems) => {
    expect(await validate(args)).toMatchObject({ verdict, problems });
  });

  it("reads the country from the city and the code from the lines, and accepts an unknown city", async () => {
    expect(await validate({ addressLines: ["Rua Augusta 100", "1100-053 Lisboa"] })).toMatchObject({
      verdict: "STRUCTURE_OK",
      countryCode: "PT",
      isCountryGuessed: true,
      knownCity: "Lisbon, Portugal",
      formattedAddress: ["Rua Augusta 100", "1100-053 Lisboa"],
    });
    const unknown = await validate({ ...berlin, locality: "Nirgendwoheim" });
    expect(unknown).toMatchObject({ verdict: "STRUCTURE_OK", knownCity: null });
    expect(unknown.notVerified).toContain("that the city exists, as it is not among the known ones");
    expect(await validate({ addressLines: ["Nirgendwostr. 1"] })).toMatchObject({
      verdict: "UNKNOWN_COUNTRY",
      countryCode: null,
    });
  });

  it.each<[string[], object, string[]]>([
    [["350 5th Ave", "New York, NY 10118"], { regionCode: "US" }, ["350 5th Ave", "New York, NY 10118"]],
    [["350 5th Ave, New York, NY 10118, USA"], {}, ["350 5th Ave", "New York, NY 10118"]],
    [
      ["350 5th Ave", "Suite 10001", "New York NY 10118"],
      { regionCode: "US" },
      ["350 5th Ave", "Suite 10001", "New York, NY 10118"],
    ],
    [["10 Downing Street, London SW1A 2AA"], { regionCode: "GB" }, ["10 Downing Street", "London", "SW1A 2AA"]],
    [["10 Downing Street", "London", "SW1A 2AA", "UK"], {}, ["10 Downing Street", "London", "SW1A 2AA"]],
    [["Unter den Linden 77", "10117 Berlin", "Deutschland"], {}, ["Unter den Linden 77", "10117 Berlin"]],
    // A street named after the city is not the city.
    [
      ["Berliner Straße 5"],
      { regionCode: "DE", locality: "Berlin", postalCode: "10117" },
      ["Berliner Straße 5", "10117 Berlin"],
    ],
    [
      ["Rua de Lisboa 3"],
      { regionCode: "PT", locality: "Lisboa", postalCode: "1100-053" },
      ["Rua de Lisboa 3", "1100-053 Lisboa"],
    ],
    [["Rua Augusta 100, Lisboa"], { regionCode: "PT", postalCode: "1100-053" }, ["Rua Augusta 100", "1100-053 Lisboa"]],
    [
      ["Av. Paulista 1578", "São Paulo - SP", "01310-200", "Brazil"],
      {},
      ["Av. Paulista 1578", "São Paulo-SP", "01310-200"],
    ],
    [["Via del Corso 1", "00186 Roma RM"], { regionCode: "IT" }, ["Via del Corso 1", "00186 Roma RM"]],
    [
      ["1-1 Marunouchi, Chiyoda-ku, Tokyo 100-0005"],
      { regionCode: "JP" },
      ["〒100-0005", "Tokyo", "1-1 Marunouchi, Chiyoda-ku"],
    ],
    [
      ["1-1 Marunouchi"],
      { regionCode: "JP", locality: "Chiyoda-ku", administrativeArea: "Tokyo", postalCode: "100-0005" },
      ["〒100-0005", "Tokyo", "1-1 Marunouchi", "Chiyoda-ku"],
    ],
    [["京都府京都市東山区祇園町北側625 〒605-0073"], {}, ["〒605-0073", "京都府", "京都市東山区祇園町北側625"]],
    [
      ["〒100-0005", "東京都千代田区", "丸の内1-9-1"],
      { regionCode: "JP" },
      ["〒100-0005", "東京都", "千代田区丸の内1-9-1"],
    ],
    [
      ["丸の内1-9-1"],
      { regionCode: "JP", locality: "千代田区", administrativeArea: "東京都", postalCode: "100-0005" },
      ["〒100-0005", "東京都", "千代田区丸の内1-9-1"],
    ],
    [["110臺北市信義區信義路五段7號"], {}, ["110", "台北市信義區", "信義路五段7號"]],
    [["03045 서울특별시 종로구 사직로 161"], {}, ["서울특별시 종로구", "사직로 161", "03045"]],
    [["100009 北京市东城区景山前街4号"], {}, ["100009", "北京市东城区", "景山前街4号"]],
    [["10 Bayfront Avenue", "Singapore 018956"], { regionCode: "SG" }, ["10 Bayfront Avenue", "SINGAPORE 018956"]],
  ])("reads lines %j with %j in their parts, and loses none", async (addressLines, fields, formattedAddress) => {
    expect(await validate({ addressLines, ...fields })).toMatchObject({
      formattedAddress,
      verdict: "STRUCTURE_OK",
      problems: [],
    });
  });

  it("refuses an address without a line, or with too many", async () => {
    for (const addressLines of [[], ["  "], Array(11).fill("a")]) {
      expect((await service.call("validate_travel_address", { addressLines })).body.code).toBe("invalid_input");
    }
  });
});
