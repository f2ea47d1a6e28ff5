import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Band = z.object({ earliest: z.string(), likely: z.string(), latest: z.string() });
const Answer = z.looseObject({
  airport: z.looseObject({ iataCode: z.string().nullable(), timeZone: z.string() }),
  destination: z.looseObject({ takenAs: z.string(), otherCandidates: z.array(z.string()) }),
  way: z
    .looseObject({
      isEstimate: z.boolean(),
      straightKilometers: z.number(),
      roadKilometers: z.number(),
      minutes: z.object({ fewest: z.number(), likely: z.number(), most: z.number() }),
    })
    .nullable(),
  schedule: z
    .looseObject({
      landsAtLocal: z.string(),
      outsideAirportLocal: Band,
      atDestinationLocal: Band.nullable(),
      atDestination: Band.nullable(),
    })
    .nullable(),
  wayNote: z.string().nullable(),
  links: z.looseObject({ google: z.string() }),
  map: z.looseObject({ lightPngUrl: z.string() }).nullable(),
  card: z.object({ text: z.string() }),
  notes: z.array(z.string()),
  language: z.looseObject({ used: z.string(), note: z.string().nullable() }),
});
const Transfer = Answer.extend({
  taxisNeeded: z.number().nullable(),
  taxisNeededWithHeavyBags: z.number().nullable(),
  pickUpAtLocal: z.string().nullable(),
  safety: z
    .object({ advice: z.array(z.string()), isNight: z.boolean().nullable(), emergencyNumbers: z.array(z.string()) })
    .nullable(),
});
const Playbook = Answer.extend({ steps: z.array(z.object({ kind: z.string(), lines: z.array(z.string()) })) });

const transfer = async (args: object) =>
  Transfer.parse(requireResult(await service.call("airport_transfer_coordinator", args)));
const playbook = async (args: object) =>
  Playbook.parse(requireResult(await service.call("airport_arrival_playbook", args)));
const minutesBetween = (one: string, other: string) => Temporal.PlainDateTime.from(one).until(other).total("minutes");

const soho = { airport: "LHR", destinationAddress: "Soho, London" };
const late = { ...soho, arrivalTimeIso: "2035-07-01T21:30:00Z" };

describe("a transfer from an airport", () => {
  it("has an estimate with a band, times on the airport's clock, a map and links", async () => {
    const { way, schedule, pickUpAtLocal, taxisNeeded, taxisNeededWithHeavyBags, safety, map, links, notes, card } =
      await transfer({
        ...late,
        travelerCount: 4,
      });
    // About 24 km in a straight line; the road is longer, and the drive takes between half an hour and one and a half.
    expect(way?.straightKilometers).toBeGreaterThan(20);
    expect(way?.roadKilometers).toBeGreaterThan(way?.straightKilometers ?? 0);
    expect(way?.minutes.fewest).toBeGreaterThanOrEqual(30);
    expect(way?.minutes.most).toBeLessThanOrEqual(90);
    expect(schedule?.landsAtLocal).toBe("2035-07-01T22:30:00");
    expect(pickUpAtLocal).toBe(schedule?.outsideAirportLocal.likely);
    const { likely = "" } = schedule?.atDestinationLocal ?? {};
    expect(minutesBetween(pickUpAtLocal ?? "", likely)).toBe(way?.minutes.likely);
    expect([taxisNeeded, taxisNeededWithHeavyBags, safety?.isNight]).toEqual([2, 2, true]);
    expect(schedule?.atDestination?.likely).toBe(
      Temporal.PlainDateTime.from(likely).toZonedDateTime("Europe/London").toInstant().toString(),
    );
    expect(notes.join()).toMatch(/estimated from the straight line/);
    expect(links.google).toMatch(/travelmode=driving/);
    const png = await fetch(map?.lightPngUrl ?? "");
    expect([png.status, png.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(card.text).toContain(map?.lightPngUrl);
  });

  it("goes to the place of the name that is near the airport", async () => {
    const toParis = (airport: string) => transfer({ airport, destinationAddress: "Paris", includeSafety: false });
    const [france, texas] = [await toParis("CDG"), await toParis("DFW")];
    expect(france.destination.takenAs).toMatch(/France/);
    expect(texas.destination.takenAs).toMatch(/Texas|United States/);
    expect(texas.way?.straightKilometers).toBeLessThan(300);
    expect(texas.safety).toBeNull();
  });

  it("goes to coordinates in place of an address, and no driver waits for a traveler who takes a train", async () => {
    const train = { ...late, destinationAddress: "51.5136,-0.1365", mode: "transit" };
    const { destination, pickUpAtLocal, schedule, safety } = await transfer(train);
    expect(destination).toMatchObject({ latitude: 51.5136, longitude: -0.1365, precision: "point" });
    expect([pickUpAtLocal, schedule === null, safety?.emergencyNumbers]).toEqual([
      ...[null, false, expect.arrayContaining(["999"])],
    ]);
  });

  it("names the emergency numbers, and which service answers which", async () => {
    const [own, german] = [
      await transfer({ airport: "AMS", destinationAddress: "Amsterdam" }),
      await transfer({ airport: "BER", destinationAddress: "Berlin" }),
    ];
    expect(own.safety?.emergencyNumbers).toEqual(["112"]);
    expect(german.safety?.emergencyNumbers).toEqual(["110", "112"]);
    expect(german.notes.join(" ")).toContain("police 110, ambulance 112, fire 112");
    const island = await transfer({ airport: "SXM", destinationAddress: "Philipsburg", regionCode: "SX" });
    expect(island.safety?.emergencyNumbers).toEqual(["911", "912", "919"]);
    expect(island.notes.join(" ")).toMatch(
      /Sint Maarten: police 911, ambulance 912 or 911, fire 919.*Sources disagree/,
    );
  });

  it("across the sea is refused with the reason", async () => {
    const { way, wayNote, schedule, taxisNeeded } = await transfer({
      ...late,
      destinationAddress: "Eiffel Tower, Paris",
    });
    expect([way, taxisNeeded, schedule?.atDestinationLocal]).toEqual([null, null, null]);
    expect(wayNote).toMatch(/300 km/);
  });

  it.each([
    ["NAP", "Ischia", "Ischia"],
    ["ATH", "Naxos", "Naxos"],
    ["LOP", "Gili Trawangan", "Gili Trawangan"],
    ["VCE", "Murano", "Murano"],
  ])("from %s to %s needs a boat, and no arrival time is estimated", async (airport, destinationAddress, island) => {
    for (const mode of ["driving", "transit"]) {
      const args = { airport, destinationAddress, mode, arrivalTimeIso: "2035-07-01T21:30:00Z" };
      for (const answer of [await transfer(args), await playbook(args)]) {
        const { way, wayNote, schedule, card, notes } = answer;
        expect([way, schedule?.atDestinationLocal]).toEqual([null, null]);
        expect(wayNote).toContain(`on an island (${island})`);
        expect(card.text).toContain(`${island} is an island: you need a boat`);
        expect([card.text, ...notes].join()).not.toMatch(/taxi from|Take the train|estimated from/);
      }
    }
  });

  it.each([
    ["LHR", "Central London"],
    ["LIS", "Baixa, Lisbon"],
    ["NRT", "Tokyo"],
    ["JNX", "Naxos"],
    ["CTA", "37.07,15.29"],
    ["VCE", "Venice"],
  ])("from %s to %s needs no boat", async (airport, destinationAddress) => {
    const { way, wayNote } = await transfer({ airport, destinationAddress });
    expect(wayNote).toBeNull();
    expect(way?.minutes.likely).toBeGreaterThan(0);
  });

  it("tells the time of landing before that at the door", async () => {
    const { card } = await transfer(late);
    expect(card.text).toMatch(/Landing.*leave the airport.*Take a taxi.*At .* about/s);
  });

  it.each([
    ["LHR", "Kensington", /Kensington.*United Kingdom/],
    ["LHR", "Camden", /Camden.*United Kingdom/],
    ["LHR", "Chelsea", /Chelsea.*United Kingdom/],
    ["JFK", "Kensington", /NY, United States/],
  ])("from %s to %s goes to the place of the name that is nearest", async (airport, name, takenAs) => {
    const { destination, way } = await transfer({ airport, destinationAddress: name });
    expect(destination.takenAs).toMatch(takenAs);
    expect(way?.straightKilometers).toBeLessThan(100);
  });

  it("goes to the nearest of several places of the name, and names the others", async () => {
    const { destination } = await transfer({ airport: "ORD", destinationAddress: "Springfield" });
    expect(destination.takenAs).toMatch(/^Springfield, MI/);
    expect(destination.otherCandidates).toContain("Springfield, IL, United States");
  });

  it.each([
    ["LHR", "Ginza", /^Ginza, Tokyo, Japan$/],
    ["SFO", "Mission", /^Mission, /],
  ])(
    "from %s to %s is not planned to the other side of the Earth, and names the candidates",
    async (airport, name, far) => {
      for (const tool of ["airport_transfer_coordinator", "airport_arrival_playbook"]) {
        const { body } = await service.call(tool, { airport, destinationAddress: name });
        expect(body).toMatchObject({ code: "destination_not_found", tooFar: expect.anything() });
        const tooFar = z.array(z.object({ label: z.string(), kilometers: z.number() })).parse(body.tooFar);
        expect(tooFar[0]?.label).toMatch(far);
        expect(tooFar[0]?.kilometers).toBeGreaterThan(300);
        expect(body.detail).toMatch(/within 300 km of .* The nearest known places: .* add the city/);
      }
    },
  );

  it("names the emergency numbers of the place of landing, and those across a border", async () => {
    const { safety, notes } = await transfer({ airport: "GVA", destinationAddress: "Annecy, France" });
    expect(safety?.emergencyNumbers).toEqual(expect.arrayContaining(["117", "17"]));
    const numbers = notes.filter((note) => note.startsWith("Emergency numbers in"));
    expect(numbers.map((note) => note.replace(/:.*/, ""))).toEqual([
      ...["Emergency numbers in Switzerland", "Emergency numbers in France"],
    ]);
  });

  it.each([
    [{ airport: "London" }, "airport_not_found", /LHR/],
    [{ airport: "Qwxzhaus" }, "airport_not_found", /nearMatches/],
    [{ destinationAddress: "Qwxzhaus" }, "destination_not_found", /nearMatches/],
  ])("is not guessed: %j", async (args, code, body) => {
    const answer = await service.call("airport_transfer_coordinator", { ...soho, ...args });
    expect([answer.status, answer.body.code]).toEqual([500, code]);
    expect(JSON.stringify(answer.body)).toMatch(body);
  });

  it("says in the traveler's text that a place was not found, and to which place the times are", async () => {
    const unknown = { ...late, destinationAddress: "Qwxzhaus, London" };
    for (const { card, destination } of [await transfer(unknown), await playbook(unknown)]) {
      expect(destination).toMatchObject({ unknownPart: "Qwxzhaus" });
      expect(card.text).toContain(
        `“Qwxzhaus, London” was not found: the route and the times are to ${destination.takenAs}`,
      );
      expect(card.text).not.toMatch(/(?:At|→) Qwxzhaus/);
      expect(card.text).toMatch(/At London.* about/);
    }
    expect((await transfer({ ...unknown, languageCode: "de" })).card.text).toContain("wurde nicht gefunden");
    expect((await transfer(late)).card.text).not.toContain("not found");
  });

  it("takes an airport by its name, or by its coordinates if its code is unknown", async () => {
    expect((await transfer({ ...soho, airport: "Heathrow" })).airport.timeZone).toBe("Europe/London");
    const given = { airport: "ZZZ", airportLatitude: 35.77, airportLongitude: 140.39 };
    const { airport, way } = await transfer({ ...given, destinationAddress: "Shinjuku, Tokyo", mode: "transit" });
    expect([airport.iataCode, airport.timeZone]).toEqual([null, "Asia/Tokyo"]);
    // The express takes 80 minutes.
    expect(way?.minutes.fewest).toBeLessThan(90);
    expect(way?.minutes.most).toBeGreaterThan(80);
  });

  it.each([
    [{ arrivalTimeIso: "2035-05-01T09:30:00" }, "arrivalTimeIso"],
    [{ travelerCount: 13 }, "travelerCount"],
    [{ airportLatitude: 1 }, "airportLongitude"],
    [{ airportLatitude: 91, airportLongitude: 0 }, "airportLatitude"],
    [{ regionCode: "XX" }, "regionCode"],
  ])("is refused with %j", async (args, path) => {
    const answer = await service.call("airport_transfer_coordinator", { ...soho, ...args });
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
    expect(answer.body.issues).toMatchObject([{ path }]);
  });
});

describe("an arrival at night", () => {
  const at = (local: string) => ({
    ...soho,
    destinationAddress: "51.5136,-0.1365",
    mode: "transit",
    arrivalTimeIso: Temporal.PlainDateTime.from(`2035-07-01T${local}`)
      .toZonedDateTime("Europe/London")
      .toInstant()
      .toString(),
  });
  const Planned = Transfer.extend({ modeNote: z.string().nullable(), way: z.looseObject({ mode: z.string() }) });
  const plan = async (args: object) =>
    Planned.parse(requireResult(await service.call("airport_transfer_coordinator", args)));
  const NO_TRAIN = "You leave the airport at about .*, when trains and buses have probably stopped";

  it("after the last train is planned by car, which leads the card, and the assumption is stated", async () => {
    const { way, modeNote, pickUpAtLocal, taxisNeeded, links, card, notes } = await plan(at("23:40"));
    expect([way.mode, pickUpAtLocal, taxisNeeded]).toEqual(["driving", "2035-07-02T00:30:00", 1]);
    expect(modeNote).toMatch(/assumed to run from 5:00 to midnight.*travelmode=transit/);
    expect(links.google).toMatch(/travelmode=driving/);
    const [, first] = card.text.split("\n");
    expect(first).toMatch(
      /^You leave the airport at about .*12:30\sAM.*, when trains .* stopped\. Book a car in advance/,
    );
    expect(card.text).not.toMatch(/Take the train/);
    expect(notes.join()).not.toMatch(/timetable is known here/);
  });

  it("when they still run is planned with them, with the last one in mind", async () => {
    const [evening, late, morning] = [await plan(at("21:30")), await plan(at("22:40")), await plan(at("05:10"))];
    expect([evening, late, morning].map(({ way, modeNote }) => [way.mode, modeNote])).toEqual(
      Array.from({ length: 3 }, () => ["transit", null]),
    );
    expect(late.card.text.split("\n")[1]).toMatch(/^The last train or bus may leave before you do/);
    for (const { card } of [evening, morning]) expect(card.text).not.toMatch(/last train/);
    expect(evening.notes.join()).toMatch(/assumed to run from 5:00 to midnight/);
  });

  it("leads the playbook's card and its way, too", async () => {
    const { card, steps } = await playbook(at("23:40"));
    expect(card.text.split("\n")[1]).toMatch(new RegExp(`^${NO_TRAIN}`));
    expect(steps.find(({ kind }) => kind === "way")?.lines[0]).toMatch(new RegExp(`^${NO_TRAIN}`));
    const byCar = await playbook({ ...at("23:40"), mode: "driving" });
    expect(byCar.card.text.split("\n")[1]).toMatch(/^You arrive at night: book a car in advance/);
    // The duration of the way is in the heading, and the steps are in the order of time.
    expect(byCar.card.text.split("\n")[1]).toMatch(/Onward journey: About \d+ min/);
    expect(byCar.card.text).toMatch(
      /1\. Before landing.*2\. Border.*3\. Bags.*4\. Arrivals hall.*5\. Onward journey: Take a taxi.*At .* about/s,
    );
  });
});

describe("a walk from an airport", () => {
  const Walk = Playbook.extend({
    modeNote: z.string().nullable(),
    way: z.looseObject({ mode: z.string() }).nullable(),
  });
  const walk = async (args: object) =>
    Walk.parse(requireResult(await service.call("airport_arrival_playbook", { mode: "walking", ...args })));
  const noon = "2035-01-10T12:00:00Z";
  const night = "2035-01-10T23:30:00Z";

  it.each([
    [{ airport: "KEF", destinationAddress: "Reykjavik", arrivalTimeIso: night }, "Walking is not practical"],
    [{ airport: "LTN", destinationAddress: "Oxford", arrivalTimeIso: noon }, "Walking is not practical"],
    [{ airport: "LTN", destinationAddress: "Oxford" }, "Walking is not practical"],
    [
      { airport: "LHR", destinationAddress: "51.4950, -0.4500", arrivalTimeIso: night },
      "Walking is not advisable at night",
    ],
  ])("that is unreasonable is planned by car, which leads the card: %j", async (args, decision) => {
    const { way, modeNote, card, links, steps } = await walk(args);
    expect(way?.mode).toBe("driving");
    expect(modeNote).toMatch(/^You asked for walking, and the plan is for a car.*travelmode=walking/);
    expect(card.text.split("\n")[1]).toContain(decision);
    expect(steps.find(({ kind }) => kind === "way")?.lines[0]).toContain(decision);
    expect(links.google).toContain("travelmode=driving");
  });

  it("that is short is planned as asked", async () => {
    const short = { airport: "LHR", destinationAddress: "51.4950, -0.4500", arrivalTimeIso: noon };
    const { way, modeNote } = await walk(short);
    expect([way?.mode, modeNote]).toEqual(["walking", null]);
  });
});

describe("the card of an arrival", () => {
  /** Without the channel's markup, and with one kind of space. */
  const shown = (text: string) => text.replaceAll("\\", "").replaceAll(/[^\S\n]+/gu, " ");

  it.each(["en", "de", "fr", "es", "pt", "pt-BR", "ja"])(
    "has every sentence of the advice in full in %s",
    async (languageCode) => {
      const night = { ...late, destinationLabel: "The Grand Old Hotel of Soho", languageCode };
      const { card, safety } = await transfer(night);
      const plain = shown(card.text);
      expect(safety?.advice.length).toBeGreaterThan(2);
      for (const advice of safety?.advice ?? []) expect(plain).toContain(shown(advice));
      const { card: book, steps } = await playbook(night);
      const text = shown(book.text);
      for (const line of steps.flatMap(({ lines }) => lines)) expect(text).toContain(shown(line));
      expect([plain, text].join()).not.toContain("…");
    },
  );
});

describe("an arrival playbook", () => {
  it("leads from the seat to the door, and keeps the traveler's own words", async () => {
    const travelerName = "עדה 🧳 Lovelace";
    const args = { ...late, travelerName, flightNumber: "BA117", pnr: "RZPNX8" };
    const { steps, card } = await playbook(args);
    expect(steps.map(({ kind }) => kind)).toEqual([
      ...["before_landing", "border", "bags", "arrivals_hall", "way", "destination"],
    ]);
    expect(steps[0]?.lines[0]).toContain(travelerName);
    expect(steps[2]?.lines.join()).toMatch(/BA117.*RZPNX8/);
    expect(steps[3]?.lines[0]).toMatch(/10:30 PM/);
    expect(card.text).toContain("BA117");
  });

  it("is in the traveler's language, or in English without texts for it", async () => {
    const german = await playbook({ ...late, languageCode: "de-AT" });
    expect(german.steps[3]?.lines.join()).toMatch(/Landung 1\. Juli 2035|Landung So.*Juli 2035/);
    expect(german.language).toMatchObject({ used: "de", note: null });
    const klingon = await playbook({ ...soho, languageCode: "tlh", arrivalTimeIso: undefined });
    expect(klingon.language).toMatchObject({ used: "en", note: expect.stringContaining("no texts in this language") });
    expect(klingon.schedule).toBeNull();
  });

  it("is refused or fails like a transfer", async () => {
    const answer = await service.call("airport_arrival_playbook", { ...soho, airport: "London" });
    expect(answer.body).toMatchObject({ code: "airport_not_found" });
    const odd = await service.call("airport_arrival_playbook", { ...soho, mode: "bicycling" });
    expect(odd.body).toMatchObject({ code: "invalid_input", issues: [{ path: "mode" }] });
  });
});
