import ICAL from "ical.js";
import nodeIcal from "node-ical";
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

const Answer = z.object({
  reminders: z.array(
    z.object({ kind: z.string(), uid: z.string(), title: z.string(), startsAt: z.string(), startsAtLocal: z.string() }),
  ),
  expiresAt: z.string(),
  ics: z.string(),
  icsUrl: z.string(),
  sequence: z.number(),
  notes: z.array(z.string()),
  wallet: z.looseObject({ departsAtLocal: z.string(), timeZone: z.string(), originName: z.string().nullable() }),
  language: z.looseObject({ used: z.string(), note: z.string().nullable() }),
});
const remind = async (args: object) => Answer.parse(requireResult(await service.call("trip_checkin_reminder", args)));

const trip = { origin: "LHR", destination: "JFK", carrier: "BA", flightNumber: "BA117", pnr: "RZPNX8" };
const soho = { stayLatitude: 51.5136, stayLongitude: -0.1365 };
const toMilliseconds = (instant: string) => Temporal.Instant.from(instant).epochMilliseconds;

/** As two libraries read the file; the first refuses malformed files. */
function readCalendar(ics: string) {
  const calendar = new ICAL.Component(ICAL.parse(ics));
  const strict = calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    const triggers = component
      .getAllSubcomponents("valarm")
      .map((alarm) => String(alarm.getFirstPropertyValue("trigger")));
    return {
      uid: event.uid,
      start: event.startDate.toJSDate().getTime(),
      zone: event.startDate.zone.tzid,
      sequence: event.sequence,
      triggers,
    };
  });
  const lenient = Object.values(nodeIcal.sync.parseICS(ics)).flatMap((one) =>
    one?.type === "VEVENT" ? [{ uid: one.uid, start: one.start.getTime() }] : [],
  );
  return { strict, lenient };
}

describe("check-in reminders", () => {
  it("are for a car if no train or bus is assumed to run when the traveler leaves", async () => {
    const leave = async (departureDateTimeIso: string, transferMode: string) => {
      const { reminders, notes, ics } = await remind({ ...trip, ...soho, departureDateTimeIso, transferMode });
      const at = reminders.find(({ kind }) => kind === "leave")?.startsAtLocal;
      return { at, notes: notes.join(" "), text: ics.replaceAll(/\r\n /g, "") };
    };
    const [early, late] = ["2035-07-01T06:40:00+01:00", "2035-07-01T12:00:00+01:00"];
    const byCar = await leave(early, "driving");
    const instead = await leave(early, "transit");
    expect(instead.at).toBe(byCar.at);
    expect(instead.notes).toMatch(/You asked for transit, and the plan is for a car\. .* from 5:00 to midnight/);
    expect(instead.text).toContain("Trains and buses are probably not running then: book a car in advance");
    expect(byCar.text).not.toContain("Trains and buses");
    const byDay = await leave(late, "transit");
    expect(byDay.at).not.toBe((await leave(late, "driving")).at);
    expect(byDay.notes).toMatch(/assumed to run from 5:00 to midnight/);
    expect(byDay.notes + byDay.text).not.toMatch(/plan is for a car|book a car/);
  });

  it.each([
    [
      "the night before the clocks go forward",
      "LHR",
      "2035-03-25T08:30:00+01:00",
      "2035-03-24T07:30:00",
      "Europe/London",
    ],
    ["the hour that comes twice", "JFK", "2035-11-04T01:30:00-05:00", "2035-11-03T02:30:00", "America/New_York"],
    ["a zone of three quarters of an hour", "KTM", "2035-06-01T23:50:00Z", "2035-06-01T05:35:00", "Asia/Kathmandu"],
    ["the other side of the date line", "AKL", "2035-01-01T12:00:00Z", "2035-01-01T01:00:00", "Pacific/Auckland"],
  ])("are at the right moment over %s", async (_name, origin, departureDateTimeIso, opensLocal, timeZone) => {
    const { reminders, ics, wallet } = await remind({ origin, departureDateTimeIso });
    expect(wallet.timeZone).toBe(timeZone);
    const departs = toMilliseconds(departureDateTimeIso);
    const expected = [departs - 24 * 3_600_000, departs];
    expect(reminders.map(({ startsAt }) => toMilliseconds(startsAt))).toEqual(expected);
    expect(reminders[0]?.startsAtLocal).toBe(opensLocal);
    const { strict, lenient } = readCalendar(ics);
    expect(strict.map(({ start, zone }) => [start, zone])).toEqual(expected.map((start) => [start, "UTC"]));
    expect(lenient.map(({ start }) => start)).toEqual(expected);
    expect(ics.match(/^DTEND:/gm)).toHaveLength(2);
    // No floating time, which would depend on the reader's clock.
    expect(ics.match(/^DT(?:START|END|STAMP).*/gm)?.every((line) => line.endsWith("Z"))).toBe(true);
  });

  it("have alarms, and a file at an address that needs no key", async () => {
    const { ics, icsUrl, reminders, notes } = await remind({
      ...trip,
      ...soho,
      departureDateTimeIso: "2035-05-01T09:30:00Z",
    });
    expect(reminders.map(({ kind }) => kind)).toEqual(["check_in", "leave", "departure"]);
    expect(readCalendar(ics).strict.map(({ triggers }) => triggers)).toEqual([["PT0S"], ["-PT30M"], ["-PT3H"]]);
    expect(reminders[2]?.title).toBe("Departure: BA117 LHR–JFK");
    expect(notes.join()).toMatch(/estimated from the distance alone/);
    expect(notes[0]).toMatch(/as you gave them; they were not checked against an order .* 15 minutes/);
    const response = await fetch(icsUrl);
    expect(response.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
    expect(await response.text()).toBe(ics);
    // Lines end with CRLF and have at most 75 bytes.
    expect(ics.split("\r\n").every((line) => Buffer.byteLength(line) <= 75 && !line.includes("\n"))).toBe(true);
  });

  it("leave out past events, and tell what to do instead", async () => {
    const departureDateTimeIso = Temporal.Now.instant().add({ hours: 1 }).toString();
    const { reminders, ics, notes } = await remind({ ...trip, ...soho, departureDateTimeIso });
    expect(reminders.map(({ kind }) => kind)).toEqual(["departure"]);
    expect(readCalendar(ics).strict.map(({ triggers }) => triggers)).toEqual([["PT0S"]]);
    expect(notes.join(" ")).toMatch(/Check-in is already open, so there is no reminder.*time to leave .* has passed/);
  });

  it("can be fetched until the trip is over", async () => {
    const departsAt = Temporal.Now.instant().add({ hours: 100 * 24 });
    const { expiresAt } = await remind({ ...trip, departureDateTimeIso: departsAt.toString() });
    expect(Temporal.Instant.from(expiresAt).since(departsAt).total("hours")).toBeGreaterThanOrEqual(48);
  });

  it("replace earlier ones of the same delayed flight, but not those of another trip", async () => {
    const before = await remind({ ...trip, departureDateTimeIso: "2035-05-01T22:30:00Z" });
    const delayed = await remind({ ...trip, departureDateTimeIso: "2035-05-02T03:30:00Z" });
    const another = await remind({ ...trip, pnr: "OTHER1", departureDateTimeIso: "2035-05-01T22:30:00Z" });
    const unnamed = await Promise.all(
      ["2035-05-01T12:00:00Z", "2035-05-02T12:00:00Z"].map((at) => remind({ origin: "LHR", departureDateTimeIso: at })),
    );
    const uids = ({ ics }: { ics: string }) => readCalendar(ics).strict.map(({ uid }) => uid);
    expect(uids(delayed)).toEqual(uids(before));
    expect(new Set([before, another, ...unnamed].flatMap(uids)).size).toBe(8);
    expect(delayed.sequence).toBeGreaterThanOrEqual(before.sequence);
    expect(readCalendar(delayed.ics).strict[0]?.sequence).toBe(delayed.sequence);
  });

  it("are in the traveler's language, and keep names", async () => {
    const name = "עדה 🧳 Lovelace; a,b\\n";
    const german = await remind({
      ...trip,
      travelerName: name,
      language: "de-AT",
      departureDateTimeIso: "2035-05-01T09:30:00Z",
    });
    expect(german.reminders[0]?.title).toBe("Check-in öffnet: BA117 LHR–JFK");
    const [event] = new ICAL.Component(ICAL.parse(german.ics)).getAllSubcomponents("vevent");
    expect(event?.getFirstPropertyValue("description")).toContain(`Reisende Person: ${name}`);
    expect(event?.getFirstPropertyValue("description")).toMatch(/1\. Mai 2035.*10:30/);
    const { language } = await remind({ ...trip, language: "tlh", departureDateTimeIso: "2035-05-01T09:30:00Z" });
    expect(language).toMatchObject({ used: "en", note: expect.stringContaining("no texts in this language") });
  });

  it.each([
    [{ stayLabel: "Qwxzhaus" }, "not known"],
    [{ stayLatitude: 48.8, stayLongitude: 2.3 }, "over 300 km"],
    [{}, "No place of stay was given"],
  ])("leave out unknown parts, and report them: %j", async (stay, note) => {
    const { reminders, notes } = await remind({ ...trip, ...stay, departureDateTimeIso: "2035-05-01T09:30:00Z" });
    expect(reminders.map(({ kind }) => kind)).toEqual(["check_in", "departure"]);
    expect(notes.join()).toContain(note);
  });

  it("take the place of a name that is near the airport, and report contradictions", async () => {
    const at = { departureDateTimeIso: "2035-05-01T09:30:00Z" };
    const notes = async (args: object) => (await remind({ ...trip, ...at, ...args })).notes.join(" ");
    expect(await notes({ origin: "CDG", stayAddress: "Paris" })).toMatch(
      /taken as Paris, France\. It could also be: .*Paris, TX/,
    );
    expect(await notes({ origin: "DFW", stayAddress: "Paris" })).toMatch(/taken as Paris, TX/);
    expect(await notes({ ...soho, stayAddress: "Tokyo" })).toMatch(
      /9\d{3} km from the coordinates: the coordinates were used/,
    );
    expect(await notes({ airportLatitude: 48.85, airportLongitude: 2.35 })).toMatch(/km from London Heathrow Airport/);
  });

  it("take an unknown airport by its coordinates", async () => {
    const unknown = { origin: "ZZZ", departureDateTimeIso: "2035-05-01T09:30:00Z" };
    const answer = await service.call("trip_checkin_reminder", unknown);
    expect([answer.status, answer.body.code]).toEqual([500, "airport_not_found"]);
    const { wallet } = await remind({ ...unknown, airportLatitude: 35.77, airportLongitude: 140.39 });
    expect(wallet).toMatchObject({ timeZone: "Asia/Tokyo", originName: null, departsAtLocal: "2035-05-01T18:30:00" });
  });

  it.each([
    [{ departureDateTimeIso: "2035-05-01T09:30:00" }, "departureDateTimeIso"],
    [{ departureDateTimeIso: "2020-05-01T09:30:00Z" }, "departureDateTimeIso"],
    [{ departureDateTimeIso: "2035-02-30T09:30:00Z" }, "departureDateTimeIso"],
    [{ origin: "LH1" }, "origin"],
    [{ checkInWindowHours: 73 }, "checkInWindowHours"],
    [{ stayLatitude: 1 }, "stayLongitude"],
  ])("are refused with %j", async (args, path) => {
    const answer = await service.call("trip_checkin_reminder", {
      ...trip,
      departureDateTimeIso: "2035-05-01T09:30:00Z",
      ...args,
    });
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
    expect(answer.body.issues).toMatchObject([{ path }]);
  });

  it.each(["+14:01", "-12:15", "+25:00", "+01:60"])("say that no clock has the offset %s", async (offset) => {
    const departureDateTimeIso = `2035-05-01T09:30:00${offset}`;
    const { body } = await service.call("trip_checkin_reminder", { ...trip, departureDateTimeIso });
    expect(body.issues).toEqual([
      { path: "departureDateTimeIso", message: expect.stringContaining("offsets go from -12:00 to +14:00") },
    ]);
  });

  it("name the local time of a departure that was given with the offset of another place", async () => {
    const elsewhere = await remind({ origin: "LHR", departureDateTimeIso: "2035-05-01T09:30:00+05:30" });
    expect(elsewhere.notes.join()).toContain("The airport's clock is at +01:00 then, so it leaves at 05:00 there.");
    const local = await remind({ origin: "LHR", departureDateTimeIso: "2035-05-01T09:30:00+01:00" });
    expect(local.notes.join()).not.toContain("offset");
  });

  it("are for the departure of the caller's own order, whatever offset its local time was given with", async () => {
    await service.isFunded(service.tenantId);
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 75 }).toString();
    const asked = { origin: "JFK", destination: "LHR", departureDate };
    const { offers } = requireResult(await service.call("search_flights", asked));
    const offerId = z.array(z.object({ id: z.string() })).parse(offers)[0]?.id;
    const Booked = z.object({
      orderId: z.string(),
      pnr: z.string(),
      slices: z.array(z.object({ segments: z.array(z.object({ flightNumber: z.string(), departingAt: z.string() })) })),
    });
    const { orderId, pnr, slices } = Booked.parse(requireResult(await service.call("book_flight", { offerId })));
    const { flightNumber, departingAt } = slices[0]?.segments[0] ?? { flightNumber: "", departingAt: "" };
    const own = { origin: "JFK", destination: "LHR", pnr, flightNumber };
    const instant = Temporal.PlainDateTime.from(departingAt).toZonedDateTime("America/New_York").toInstant();
    const by = `By the order ${orderId}, the flight leaves on ${departingAt.slice(0, 10)} at ${departingAt.slice(11, 16)}`;

    const asUtc = await remind({ ...own, departureDateTimeIso: `${departingAt}Z` });
    expect(asUtc.wallet.departsAtLocal).toBe(departingAt);
    expect(asUtc.notes[0]).toContain(`${by} by the airport's clock, which is ${instant.toString()}.`);
    const right = await remind({ ...own, departureDateTimeIso: instant.toString() });
    expect(right.wallet.departsAtLocal).toBe(departingAt);
    expect(right.notes[0]).toContain("as you gave it");
    // A delay is not corrected.
    const late = await remind({ ...own, departureDateTimeIso: instant.add({ hours: 9 }).toString() });
    expect(late.wallet.departsAtLocal).toBe(Temporal.PlainDateTime.from(departingAt).add({ hours: 9 }).toString());
    expect(late.notes[0]).toMatch(/correct it unless the airline has moved the flight/);
  });

  it("name the local day of a departure that was given in UTC, where that is another clock", async () => {
    const { notes } = await remind({ origin: "NRT", departureDateTimeIso: "2035-05-01T16:30:00Z" });
    expect(notes.join()).toContain("so it leaves at 01:30 there. That is on 2035-05-02");
  });
});
