import { z } from "zod";
import { defineTool } from "../context.ts";
import { readTreasury, TreasuryAnswer } from "../wallets/read-treasury.ts";

export const checkTreasury = defineTool({
  name: "check_treasury",
  title: "Check the treasury",
  summary: "Show your treasury wallet's address and balances, and how much of them is free to spend.",
  advice: "Amounts are in USDC and EURC, such as 25.00.",
  area: "treasury",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["chain", "usableChains", "transfersOverChains", "openWithdrawals", "stores", "clock"],
  input: z.strictObject({}),
  output: TreasuryAnswer,
  errors: {},
  example: () => ({}),

  run: (_input, { caller, ...ports }) => readTreasury(ports, caller.tenantId),
});
