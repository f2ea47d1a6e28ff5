import { z } from "zod";
import type { FailureDetails } from "../../src/domain/errors.ts";
import { shownOnce } from "../../src/kernel/contracts/shown-once.ts";
import { defineAnyTool, Replayed } from "../../src/kernel/contracts/tool.ts";

/**
 * Tools that do what a test of the path of a call needs, and nothing else. `runs` counts how often each text ran; what waits
 * ends with `release`.
 */
export function createProbes() {
  const runs = new Map<string, number>();
  const released = Promise.withResolvers<void>();
  const face = {
    summary: "For tests.",
    area: "trip",
    payableWithoutKey: false,
    uses: [],
    input: z.strictObject({
      text: z.string().max(50),
      mood: z.enum(["ok", "fail", "busy", "later", "crash", "wrong", "wait", "loud", "away", "absent"]).default("ok"),
    }),
    output: z.object({ text: z.string() }),
    errors: {
      no_offers: "Nothing there. Try another one.",
      provider_timeout: "Too slow. Send again.",
      chain_not_available: "No such chain now.",
    },
    example: () => ({ text: "hello" }),
  } as const;
  const act = async (
    text: string,
    mood: string,
    fail: (code: "no_offers" | "provider_timeout" | "chain_not_available", details?: FailureDetails) => Error,
  ) => {
    runs.set(text, (runs.get(text) ?? 0) + 1);
    if (mood === "fail") throw fail("no_offers");
    if (mood === "busy") throw fail("provider_timeout");
    if (mood === "later") throw fail("provider_timeout", { retryAfterSeconds: 7 });
    if (mood === "absent") throw fail("chain_not_available");
    if (mood === "away" && runs.get(text) === 1) throw fail("chain_not_available", { retryAfterSeconds: 10 });
    if (mood === "loud") throw fail("no_offers", { extra: { echo: "x".repeat(10_000) } });
    if (mood === "wait") await released.promise;
    if (mood === "crash") throw new Error("secret supplier text");
    const answer: { text: string } = mood === "wrong" ? JSON.parse('{"text": 7}') : { text };
    return answer;
  };
  const tools = [
    defineAnyTool({
      ...face,
      name: "probe_read",
      title: "Probe (read)",
      effect: "read",
      price: 500n,
      run: ({ text, mood }, { fail }) => act(text, mood, fail),
    }),
    defineAnyTool({
      ...face,
      name: "probe_dear_read",
      title: "Probe (dear read)",
      effect: "read",
      price: 2_000n,
      run: ({ text, mood }, { fail }) => act(text, mood, fail),
    }),
    defineAnyTool({
      ...face,
      name: "probe_write",
      title: "Probe (write)",
      effect: "write",
      price: 5_000n,
      run: ({ text, mood }, { fail }) => act(text, mood, fail),
    }),
    defineAnyTool({
      ...face,
      name: "probe_flight_write",
      title: "Probe (flights)",
      area: "flights",
      effect: "write",
      price: 5_000n,
      run: ({ text, mood }, { fail }) => act(text, mood, fail),
    }),
  ];
  return { tools, release: released.resolve, runs: (text: string) => runs.get(text) ?? 0 };
}

/**
 * Gives back what it was given, in marked places and in others. In the mood `late` it does something outside whose end is not
 * known in time; asked again with the same text, it answers with that.
 */
export function createShownOnceProbe() {
  let runs = 0;
  /** By their plain texts, the calls that did something. */
  const done = new Map<string, string>();
  const Secrets = z.array(z.object({ secret: shownOnce(z.string()), name: z.string() }));
  const tool = defineAnyTool({
    name: "probe_shown_once",
    title: "Probe (shown once)",
    summary: "For tests.",
    area: "trip",
    effect: "write",
    price: 5_000n,
    payableWithoutKey: true,
    uses: ["stores"],
    input: z.strictObject({
      secret: shownOnce(z.string()),
      plain: z.string(),
      mood: z.enum(["ok", "fail", "crash", "late"]).default("ok"),
    }),
    output: z.object({
      secret: shownOnce(z.string()).optional().describe("Of the probe"),
      secrets: Secrets,
      plain: z.string(),
    }),
    errors: { no_offers: "Nothing there. Try another one.", provider_timeout: "Too slow. Send again." },
    example: () => ({ secret: "s", plain: "p" }),
    async run({ secret, plain, mood }, { stores, call, fail }) {
      runs += 1;
      const first = done.get(plain);
      if (first !== undefined) return new Replayed({ secret, secrets: [], plain }, first);
      if (mood === "late") {
        await stores.effects.open(call.id);
        done.set(plain, call.id);
        throw fail("provider_timeout");
      }
      if (mood === "fail") throw fail("no_offers", { extra: { plain } });
      if (mood === "crash") throw new Error("it broke");
      return { secret, secrets: [{ secret, name: plain }], plain };
    },
  });
  return { tool, runs: () => runs, findCall: (plain: string) => done.get(plain) };
}
