import { expect, test } from "vitest";
import type { HttpRequest } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import { createSimulators } from "./index.ts";

const guest = { tenantId: "tenant_own", playgroundId: "play_own" };
const scenario = { fault: "away", remaining: 2, delayMs: 500 };
const supplierAnswer = { scenarios: [{ ...scenario, match: { path: "/air/orders", tenant: "tenant_own" } }] };
const attesterAnswer = {
  scenarios: [
    { ...scenario, path: "/v2/messages", tenant: "tenant_own" },
    { ...scenario, path: "/v2/messages", tenant: "tenant_other" },
    { ...scenario, path: "/v2/messages", tenant: null },
  ],
};
const carriersAnswer = {
  scenarios: [
    { path: "/slack/api", playground: "play_own", fault: "away", times: 1 },
    { path: "/slack/api", playground: "play_other", fault: "away", times: 1 },
  ],
};
const answers: Readonly<Record<string, unknown>> = {
  "http://supplier": supplierAnswer,
  "http://attester": attesterAnswer,
  "http://carriers": carriersAnswer,
};

type Answered = { status: number; text: string };

/** Simulators that answer as the real ones do, except for what `instead` gives. */
function open(instead: (url: URL) => Answered | undefined = () => undefined) {
  const asked: HttpRequest[] = [];
  const started: string[] = [];
  const place = (name: string) => ({
    find: () => `http://${name}`,
    async start() {
      started.push(name);
      return `http://${name}`;
    },
  });
  const simulators = createSimulators({
    places: { supplier: place("supplier"), attester: place("attester"), carriers: place("carriers") },
    controlToken: "token",
    http: {
      async send(request) {
        asked.push(request);
        const url = new URL(request.url);
        const { status, text } = instead(url) ?? { status: 200, text: JSON.stringify(answers[url.origin]) };
        return { status, header: () => undefined, body: Buffer.from(text) };
      },
    },
  });
  return { simulators, asked, started };
}

const refuse =
  (name: string) =>
  ({ hostname }: URL): undefined => {
    if (hostname === name) throw new HttpFailure("unreachable", "not_sent");
  };

test("shows the faults of a guest, and of nobody else", async () => {
  const { simulators } = open();
  expect(await simulators.listFaults(guest)).toEqual([
    { simulator: "supplier", path: "/air/orders", fault: "away", times: 2, delayMilliseconds: 500 },
    { simulator: "attester", path: "/v2/messages", fault: "away", times: 2, delayMilliseconds: 500 },
    { simulator: "carriers", path: "/slack/api", fault: "away", times: 1, delayMilliseconds: 0 },
  ]);
});

test.each(["attester", "carriers"])("an %s that does not run has no faults to show", async (name) => {
  const faults = await open(refuse(name)).simulators.listFaults(guest);
  expect(faults.map(({ simulator }) => simulator)).not.toContain(name);
  expect(faults).toHaveLength(2);
});

test.each([
  ["is away", refuse("supplier")],
  ["fails", () => ({ status: 500, text: "{}" })],
  ["answers no JSON", () => ({ status: 200, text: "<html>" })],
])("a supplier that %s is unavailable", async (_name, instead) => {
  await expect(open(instead).simulators.listFaults(guest)).rejects.toMatchObject({ code: "unavailable" });
  await expect(open(instead).simulators.advanceClock(0)).rejects.toMatchObject({ code: "unavailable" });
});

test("arms for the guest alone, and disarms the guest's alone at simulators that it starts for that", async () => {
  const { simulators, asked, started } = open();
  const fault = { path: "/air/orders", method: "POST", fault: "http_503", times: 1, delayMilliseconds: 0 } as const;
  await simulators.arm(guest, { simulator: "supplier", ...fault });
  await simulators.arm(guest, { simulator: "carriers", ...fault });
  expect(asked.map(({ json }) => json)).toEqual([
    { match: { path: "/air/orders", method: "POST", tenant: "tenant_own" }, fault: "http_503", times: 1, delayMs: 0 },
    { path: "/air/orders", playground: "play_own", fault: "http_503", times: 1 },
  ]);
  asked.length = 0;
  started.length = 0;
  await simulators.disarm(guest);
  expect(started).toEqual(["supplier", "attester", "carriers"]);
  expect(asked.map(({ url }) => new URL(url).search)).toEqual([
    "?tenant=tenant_own",
    "?tenant=tenant_own",
    "?playground=play_own",
  ]);
});
