// The prepaid balance under many callers at once. A sandbox of its own: it ends with hardly any money.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import { cents, checkLedgerAddsUp, instantBody, ledger, parseError, pickOffer } from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});

test("orders are paid to the last that fits and not one more", async () => {
  const passengers = Array.from({ length: 9 }, () => ({ type: "adult" }));
  const offer = await pickOffer(sandbox, (candidate) => candidate.slices[0]?.fare_brand_name === "Flex", {
    cabin_class: "first",
    passengers,
  });
  const price = cents(offer.total_amount);
  const affordable = Number(cents((await ledger(sandbox)).balance.amount) / price);
  const answers = await Promise.all(
    Array.from({ length: affordable + 8 }, () => sandbox.call("POST", "/air/orders", instantBody(offer))),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(affordable);
  for (const answer of answers.filter((candidate) => candidate.status !== 201)) {
    expect(parseError(answer)).toMatchObject({ status: 422, type: "airline_error", code: "insufficient_balance" });
  }
  const books = await ledger(sandbox);
  expect(books.orders).toHaveLength(affordable);
  expect(cents(books.balance.amount)).toBe(100_000_000n - BigInt(affordable) * price);
  checkLedgerAddsUp(books);
});
