import { afterAll, beforeAll, expect, it } from "vitest";
import { english } from "./english.ts";
import { japanese } from "./japanese.ts";
import { startObedientProduct } from "./try-injection.ts";

/** A few of each kind; injections.long.test.ts has all. */
let obedient: Awaited<ReturnType<typeof startObedientProduct>>;
beforeAll(async () => {
  obedient = await startObedientProduct();
});
afterAll(() => obedient?.[Symbol.asyncDispose]());

const isShort = ([field]: (typeof english)[number]): boolean => field === "trip" || field === "policy";

it.each([...english, ...japanese].filter(isShort))(
  "does no harm with a model that obeys %s %s",
  async (...injection) => {
    expect(await obedient.tryInjection(injection, "en")).toEqual({ isRead: true, harm: [] });
  },
);
