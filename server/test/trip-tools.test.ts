import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { catalog } from "../src/contributions.ts";
import { modules } from "../src/modules/index.ts";
import { sendMcp } from "./support/mcp.ts";
import { type Buyer, createBuyer } from "./support/paid.ts";
import type { TestService } from "./support/service.ts";
import { openSharedService } from "./support/shared-service.ts";

/** Common to every tool of trip assistance: taken from the registry, so that a new one cannot be left out. */
const named = new Set<string>(
  modules
    .filter(({ name }) => ["arrival", "briefs", "disruption", "maps", "places"].includes(name))
    .flatMap((one) => ("tools" in one ? one.tools.map(({ name }) => name) : [])),
);
const entries = catalog.entries.filter(({ tool }) => named.has(tool.name));
const today = Temporal.Now.plainDateISO("UTC");

let service: TestService;
let buyer: Buyer;
beforeAll(async () => {
  service = await openSharedService();
  buyer = createBuyer(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const McpAnswer = z.object({
  result: z.object({ structuredContent: z.looseObject({}), isError: z.boolean().optional() }),
});

it("are fourteen", () => {
  expect(entries).toHaveLength(14);
});

describe.each(entries.map((entry) => ({ name: entry.tool.name, entry })))("$name", ({ name, entry }) => {
  const { tool } = entry;
  const example = tool.example(today);
  const validate = new AjvJsonSchemaValidator().getValidator({ ...entry.outputSchema });

  it("answers by its schema on dispatch, over MCP and where it is bought", async () => {
    const dispatched = await service.call(name, example);
    const overMcp = McpAnswer.parse((await sendMcp(service, "tools/call", { name, arguments: example })).body);
    const key = { authorization: `Bearer ${service.apiKey}` };
    const payment = { "payment-signature": await buyer.sign(name) };
    const bought = await buyer.post(name, example, tool.payableWithoutKey ? payment : { ...payment, ...key });
    expect([dispatched.status, overMcp.result.isError ?? false, bought.status], bought.text).toEqual([200, false, 200]);
    for (const answer of [dispatched.body.result, overMcp.result.structuredContent, bought.body.result]) {
      expect(validate(answer)).toMatchObject({ valid: true });
    }
    expect(validate({}).valid).toBe(false);
  });

  const Properties = z.object({ properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })) });
  const { properties } = Properties.parse(JSON.parse(JSON.stringify(entry.inputSchema)));
  const isText = ({ type, enum: list, format, pattern }: Record<string, unknown>) =>
    type === "string" && list === undefined && format === undefined && pattern === undefined;
  const texts = Object.keys(properties).filter((property) => isText(properties[property] ?? {}));

  it.runIf(texts.length > 0)(
    "takes mixed scripts, right-to-left names and emoji as text, or says what is wrong",
    async () => {
      for (const property of texts) {
        const hostile = "Ωδή 東京 القاهرة עדה 🧳\u202e<b>{{x}}</b>";
        const answer = await service.call(name, { ...example, [property]: hostile });
        const isDeclared = answer.status === 500 && Object.hasOwn(tool.errors, String(answer.body.code));
        const isRefused = answer.status === 400 && answer.body.code === "invalid_input";
        expect(answer.status === 200 || isDeclared || isRefused, `${property}: ${answer.text}`).toBe(true);
        expect(answer.text, property).not.toContain("\u202e");
        const long = await service.call(name, { ...example, [property]: "x".repeat(10_000) });
        expect([long.status, long.body.code], property).toEqual([400, "invalid_input"]);
      }
    },
  );

  const latitude = Object.keys(properties).find((property) => /^(?:latitude|\w+Latitude)$/.test(property));
  it.runIf(latitude !== undefined)("takes every point of the globe, and none beside it", async () => {
    const longitude = Object.keys(properties).find((property) => /^(?:longitude|\w+Longitude)$/.test(property)) ?? "";
    const at = (north: number, east: number) =>
      service.call(name, { ...example, [latitude ?? ""]: north, [longitude]: east });
    for (const [north, east] of [
      [90, 0],
      [-90, 0],
      [0, 180],
      [0, -180],
      [30, -45],
    ] as const) {
      const answer = await at(north, east);
      // A place that was given by its name alone has to be near the point.
      const isFar = answer.body.code === "destination_not_found";
      expect(answer.status, `${north} ${east}: ${answer.text}`).toBe(isFar ? 500 : 200);
    }
    for (const [north, east] of [
      [90.1, 0],
      [-90.1, 0],
      [0, 180.1],
      [0, -180.1],
    ] as const) {
      expect((await at(north, east)).body.code, `${north} ${east}`).toBe("invalid_input");
    }
  });
});
