import { z } from "zod";
import { Provenance } from "../../domain/schemas.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FxRates } from "../../ports/fx.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Ports } from "./context.ts";
import { convert, warnOfOldRate } from "./convert.ts";
import { readTreasury, TreasuryAnswer } from "./wallets/read-treasury.ts";

interface TreasuryRoutePorts {
  portsFor(
    environment: Environment,
  ): Pick<Ports, "chain" | "usableChains" | "transfersOverChains" | "openWithdrawals" | "stores" | "clock"> | undefined;
}

const readTreasuryRoute = defineRoute({
  id: "get_treasury",
  method: "GET",
  path: "/api/treasury",
  tag: "treasury",
  summary: "Read the treasury",
  description:
    "The tenant's wallets: balances, what is free to spend, what is held or outgoing, money in the Gateway, and transfers between chains that have not ended.",
  scope: "treasury:read",
  answers: { 200: { description: "The wallets.", schema: TreasuryAnswer } },
  errors: { sandbox_unavailable: "This deployment runs without the sandbox. Use a production key." },
  async run({ principal: { tenantId, environment }, fail }, { portsFor }: TreasuryRoutePorts) {
    const ports = portsFor(environment);
    if (ports === undefined) throw fail("sandbox_unavailable");
    return await readTreasury(ports, tenantId);
  },
});

const WAIT_MILLISECONDS = 3_000;
const ONE = 1_000_000n;

const listRates = defineRoute({
  id: "get_exchange_rates",
  method: "GET",
  path: "/api/exchange-rates",
  tag: "treasury",
  summary: "List exchange rates",
  description: "The reference rates in use, with the day that they are from. Information only: nothing is exchanged.",
  scope: "treasury:read",
  answers: {
    200: {
      description: "The rates.",
      schema: Provenance.extend({
        rates: z.array(
          z.object({
            currency: z.string().describe("ISO 4217"),
            usdc: z.string().describe("USDC per unit, before the margin, truncated to 8 places"),
          }),
        ),
        marginBps: z.number().describe("The service's margin on a rate, in hundredths of a percent"),
        warning: z.string().optional().describe("The rates are out of date"),
      }),
    },
  },
  errors: {},
  async run(_call, { fx, clock }: { fx: FxRates; clock: Clock }) {
    const table = await fx.table(AbortSignal.timeout(WAIT_MILLISECONDS));
    const warning = warnOfOldRate(table.provenance.asOf, clock.now());
    const rates = [...table.perEuro.keys()].toSorted().flatMap((currency) => {
      const conversion = convert(table, ONE, currency, "USDC");
      return conversion === undefined ? [] : [{ currency, usdc: conversion.rate }];
    });
    return {
      ...table.provenance,
      rates,
      marginBps: fx.terms.marginBps,
      ...(warning === undefined ? {} : { warning }),
    };
  },
});

export const treasuryRoutes = [readTreasuryRoute, listRates];
