import { z } from "zod";
import { buildScope } from "../../domain/scopes.ts";
import type { AccountFacts } from "../../kernel/contracts/account.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import { ByPerson } from "./by-person.ts";
import { ModuleFacts } from "./module-facts.ts";

interface AccountPorts {
  readAccount(caller: Caller): Promise<Required<AccountFacts>>;
  urls: { readonly app: string };
}

const Shown = ModuleFacts.pick({ expiringAirlineCredits: true, enforcedPolicy: true, languageModel: true });

const readAccountRoute = defineRoute({
  id: "get_account",
  method: "GET",
  path: "/api/account",
  tag: "account",
  summary: "Read what needs a person",
  description:
    "Airline credits that expire soon, and what does not work until a person has set it up. read_account has the prices, limits and balances of a key besides.",
  scope: buildScope("account", "read"),
  answers: {
    200: {
      description: "It.",
      schema: Shown.extend({
        missing: z.array(ByPerson).readonly(),
        setUp: z.array(ByPerson.extend({ isSet: z.boolean() })).readonly(),
      }),
    },
  },
  errors: {},
  async run({ principal }, { readAccount, urls }: AccountPorts) {
    const { tenantId, environment, keyId, scopes, personId, serviceAccountId } = principal;
    const userId = personId ?? serviceAccountId;
    const { facts, missing, setUp } = await readAccount({
      ...{ tenantId, environment, keyId, scopes, userId },
      travelerId: userId,
    });
    const pageUrl = (page: string) => `${urls.app}/docs/${page}`;
    return {
      ...Shown.strip().parse(facts),
      missing: missing.map((part) => ({ ...part, page: pageUrl(part.page) })),
      setUp: setUp.map((part) => ({ ...part, page: pageUrl(part.page) })),
    };
  },
});

export const accountRoutes = [readAccountRoute];
