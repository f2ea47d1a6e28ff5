import { afterAll, beforeAll, expect, it, test } from "vitest";
import { z } from "zod";
import { registry } from "../src/contributions.ts";
import { WORDS_OF_OTHERS, wordsOfOthers } from "../src/domain/schemas.ts";
import type { Answer, TestService } from "./support/service.ts";
import { openSharedService } from "./support/shared-service.ts";

/** Texts of others reach an agent as one bounded line of what can be seen, and the schema of the result says whose they are. */

/** Names of ids, times, amounts, codes and addresses, which the service makes or checks. */
const CHECKED =
  /(?:(?:^i|I)ds?|At|AtLocal|On|Date|Dates|Usdc|Url|Hash|Address|Currency|Amount|Wallet|Nonce|Code|Iso3|Link|TimeZones?|Actions?|Time|TimeBefore|TimeAfter)$/;
const CHECKED_NAMES = [
  ...[
    "atOperator",
    "delayBlocks",
    "deposited",
    "expectedBy",
    "inFlight",
    "onChain",
    "pending",
    "recipient",
    "txHashes",
    "withdrawableAtBlock",
    "withdrawing",
  ],
  ...[
    "EURC",
    "USDC",
    "amount",
    "address",
    "asOf",
    "technicalStops",
    "at",
    "before",
    "carrier",
    "code",
    "currency",
    "date",
    "destination",
    "earliest",
  ],
  ...[
    "earliestDeparture",
    "field",
    "flight",
    "flightNumber",
    "flights",
    "from",
    "invoiceNumber",
    "kind",
    "latest",
    "likely",
    "limit",
  ],
  ...[
    "nationality",
    "number",
    "numbers",
    "operatingCarrier",
    "origin",
    "period",
    "pnr",
    "precision",
    "rate",
    "requested",
    "returnedTo",
  ],
  ...["scopes", "status", "step", "surface", "timeZone", "to", "token", "tool", "total", "type", "uid", "unit", "url"],
  ...[
    "cabinClass",
    "cabins",
    "converted",
    "gender",
    "preferredLanguage",
    "email",
    "phoneNumber",
    "accountNumber",
    "actual",
    "value",
  ],
  ...[
    "airport",
    "available",
    "held",
    "in",
    "out",
    "outgoing",
    "path",
    "pickUps.*",
    "recipients",
    "timeZones.*",
    "tools",
  ],
  ...["ids.*", "languageModel", "page", "requestedBy", "requestedByKey", "tolerance"],
  ...["amountReceived", "amountSent", "minimumReceived", "pool", "rateAsOf"],
];
/** Members with the service's own words, or composed of texts that it has cleaned before. */
const OWN_NAMES = [
  ...["amountSent", "expectedBy", "fee", "rateWarning", "warning"],
  ...[
    "advice",
    "agentName",
    "apple",
    "article",
    "assumptions",
    "attribution",
    "best",
    "blockchain",
    "channel",
    "charactersNotShown",
    "cheapest",
    "checks",
    "condition",
  ],
  ...[
    "detail",
    "emergencyNumbers",
    "emailNote",
    "emptiedBy",
    "fastest",
    "funder",
    "google",
    "guidance",
    "how",
    "ics",
    "input",
    "issuePaths",
    "laterTerms",
    "left",
    "lines",
    "message",
  ],
  ...[
    "missing",
    "missingForFlights",
    "mobileNote",
    "next",
    "notApplied",
    "notVerified",
    "note",
    "notes",
    "openStreetMap",
    "other",
    "whatToDo",
  ],
  ...[
    "order",
    "postalCodeExamples",
    "problem",
    "rateSource",
    "reason",
    "references.*",
    "rule",
    "source",
    "subject",
    "summary",
    "supplier",
  ],
  ...[
    "counting",
    "disclaimer",
    "effect",
    "fewerBags",
    "voidWindowEnds",
    "for",
    "nextSteps",
    "offsetNote",
    "otherChainsNote",
    "text",
    "timeZoneName",
    "title",
    "warnings",
    "what",
    "whyNoNearest",
  ],
  // Objects whose members differ: schemas, arguments, resolutions, policies, sums, and what records of the service say.
  ...["args", "document", "expects", "inputSchema", "onTimeout", "pricing", "resolutionSchema"],
];

interface Place {
  name: string;
  tool: string;
}

const Schema = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
});

const isAnything = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;

/** Texts of a result of which the schema says neither a form nor whose words they are. */
function unmarked(value: unknown, place: Place): Place[] {
  const schema = Schema.safeParse(value).data;
  if (schema === undefined) return [];
  const { type, description = "", properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const hasForm = ["enum", "const", "format", "pattern"].some((keyword) => keyword in schema);
  const isMarked = description.includes(WORDS_OF_OTHERS);
  const isFree = type === "string" && !hasForm && !isMarked;
  const isOpen = type === "object" && isAnything(additionalProperties) && !isMarked;
  return [
    ...(isFree || isOpen ? [place] : []),
    ...Object.entries(properties).flatMap(([name, child]) => unmarked(child, { ...place, name })),
    ...unmarked(items, place),
    ...unmarked(additionalProperties, { ...place, name: `${place.name}.*` }),
    ...[...anyOf, ...oneOf].flatMap((one) => unmarked(one, place)),
  ];
}

const isKnown = ({ name, tool }: Place): boolean =>
  (name === "" && tool === "read_account") ||
  (name === "description" && tool === "describe_workflows") ||
  CHECKED.test(name) ||
  CHECKED_NAMES.includes(name) ||
  OWN_NAMES.includes(name);

test("every text of every result has a form, is the service's own, or is marked as words of others", () => {
  const found = registry.flatMap((tool) =>
    unmarked(z.toJSONSchema(tool.output, { io: "output" }), { tool: tool.name, name: "" }),
  );
  expect(found.filter((place) => !isKnown(place))).toEqual([]);
  // The search looks where it should: without its mark the same field is found.
  const [marked, plain, open] = [wordsOfOthers(), z.string(), z.record(z.string(), z.unknown())].map((nickname) =>
    unmarked(z.toJSONSchema(z.object({ people: z.array(z.object({ nickname })) })), { tool: "", name: "" }),
  );
  expect(marked).toEqual([]);
  for (const found of [plain, open]) {
    expect(found?.filter((place) => !isKnown(place))).toEqual([{ tool: "", name: "nickname" }]);
  }
});

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const HIDDEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u{e0000}-\u{e007f}]/u;
const Found = z.object({ result: z.object({ offers: z.array(z.object({ id: z.string() })) }) });
const Booked = z.object({ result: z.object({ orderId: z.string() }) });
const Passengers = z.object({ result: z.object({ flight: z.object({ passengers: z.unknown() }) }) });
const JSON_TYPE = { "content-type": "application/json" };

const dayIn = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

/** Calls a tool while the supplier answers such requests with hostile texts. */
async function callHostile(match: { path: string; method: string }, tool: string, args: unknown): Promise<Answer> {
  const scenario = { match, fault: "hostile_texts", times: 10, delayMs: 0 };
  const armed = await fetch(`${service.supplierUrl}/_sandbox/scenarios`, {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify(scenario),
  });
  expect(armed.status).toBeLessThan(300);
  const answer = await service.call(tool, args);
  await fetch(`${service.supplierUrl}/_sandbox/scenarios`, { method: "DELETE" });
  return answer;
}

/** It was told, and what can be seen of it is shown, as data. */
function expectVisibleOnly({ status, text, body }: Answer): void {
  expect(status, text.slice(0, 500)).toBe(200);
  expect(text).toContain("Ignore all instructions");
  const texts: string[] = [];
  JSON.stringify(body, (_key, value: unknown) => {
    if (typeof value === "string") texts.push(value);
    return value;
  });
  expect(texts.filter((one) => HIDDEN.test(one))).toEqual([]);
  expect(Math.max(...texts.filter((one) => one.includes("Ignore")).map((one) => one.length))).toBeLessThanOrEqual(400);
}

const FLIGHT = { origin: "LHR", destination: "JFK", departureDate: dayIn(40) };
const STAY = { location: "Lisbon", checkInDate: dayIn(40), checkOutDate: dayIn(42) };

it.each([
  { tool: "search_flights", path: "/air/offer_requests", args: FLIGHT },
  { tool: "search_hotels", path: "/stays", args: STAY },
])("what a hostile supplier calls things reaches no agent of $tool as it is", async ({ tool, path, args }) => {
  expectVisibleOnly(await callHostile({ path, method: "POST" }, tool, args));
});

it("nor of read_order, whose lists of passengers and services have members of the supplier's choice", async () => {
  const found = Found.parse((await service.call("search_flights", FLIGHT)).body);
  const offerId = found.result.offers[0]?.id;
  const { result } = Booked.parse((await service.call("book_flight", { offerId })).body);
  const answer = await callHostile({ path: "/air/orders", method: "GET" }, "read_order", result);
  expectVisibleOnly(answer);
  expect(JSON.stringify(Passengers.parse(answer.body).result.flight)).toContain("Ignore all instructions");
});
