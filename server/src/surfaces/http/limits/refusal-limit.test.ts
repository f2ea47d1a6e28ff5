import { expect, it } from "vitest";
import { createRateLimiter } from "./rate-limiter.ts";
import { RefusalLimit } from "./refusal-limit.ts";

it("a request at the moment when room becomes free is judged without waiting", async () => {
  let milliseconds = 0;
  const clock = { now: () => Temporal.Instant.fromEpochMilliseconds(milliseconds) };
  const limiter = createRateLimiter({ ratePerSecond: 1, burst: 1, maxEntries: 10, clock });
  limiter.take("x");
  const limit = new RefusalLimit({
    ...limiter,
    left(id) {
      const left = limiter.left(id);
      // The clock moves on between the two looks.
      milliseconds = 1_000;
      return left;
    },
  });
  expect(
    await limit.judge(
      "x",
      async () => "judged",
      () => true,
    ),
  ).toBe("judged");
  expect(limiter.left("x")).toBe(0);
});
