import { defineJob } from "../../kernel/contracts/job.ts";
import { notServed } from "../../kernel/contracts/module.ts";
import { type Aggregates, defineModule } from "./context.ts";
import * as reputation from "./migrations/0016-reputation.ts";
import * as reputationByChain from "./migrations/0118-reputation-by-chain.ts";
import * as ownReputation from "./migrations/0173-own-reputation.ts";
import { registerMissingAgents, registerNewAgent } from "./register-agent.ts";
import { registryEntry } from "./registry-operation.ts";
import { reputationEndings } from "./reputation-endings.ts";
import { reputationRoutes } from "./routes.ts";
import { createFeedbacks } from "./store-feedback.ts";
import { createOwnReputation } from "./store-own-reputation.ts";
import { createRatingPersons } from "./store-persons.ts";
import { createValidations } from "./store-validations.ts";
import { giveFeedback } from "./tools/give-feedback.ts";
import { listValidators } from "./tools/list-validators.ts";
import { readReputation } from "./tools/read-reputation.ts";
import { readValidation } from "./tools/read-validation.ts";
import { requestValidation } from "./tools/request-validation.ts";
import { submitValidationResponse } from "./tools/submit-validation-response.ts";

/** How soon a wallet on a live chain has its agent. */
const REGISTER_MILLISECONDS = 5_000;

const tools = [
  giveFeedback,
  readReputation,
  requestValidation,
  submitValidationResponse,
  readValidation,
  listValidators,
];

export const reputationModule = defineModule({
  name: "reputation",
  tools,
  routes: reputationRoutes,
  stores: ({ db, clock }) => ({
    feedbacks: createFeedbacks(db, clock),
    validations: createValidations(db, clock),
    ownReputation: createOwnReputation(db),
  }),
  personRecords: ({ db }) => createRatingPersons(db),
  migrations: {
    "0016-reputation": reputation,
    "0118-reputation-by-chain": reputationByChain,
    "0173-own-reputation": ownReputation,
  },
  chainOperations: [registryEntry],
  chainEndings: reputationEndings,
  async facts({ chains }) {
    const production = chains.home("production");
    if (production === undefined) return [];
    const contracts = production.chain.agentRegistries?.contracts;
    if (contracts === undefined) {
      const ofRegistries = tools.filter(({ errors }) => Object.hasOwn(errors, "chain_not_available"));
      return [notServed(ofRegistries, "until CHAIN_AGENT_IDENTITY and the registries beside it are set")];
    }
    return contracts.validation === undefined
      ? [
          notServed(
            [requestValidation, submitValidationResponse, readValidation],
            "until CHAIN_AGENT_VALIDATION is set",
          ),
        ]
      : [];
  },
  equipTenant: (aggregates: Aggregates, tenantId) => registerNewAgent(aggregates, tenantId),
  async prepare({ stores }) {
    await registerMissingAgents(stores);
  },
  jobs({ chains, stores, submitters }) {
    const production = chains.home("production");
    if (production?.chain.agentRegistries === undefined) return [];
    const { key } = production.chain;
    return [
      defineJob({
        name: "register-agents",
        everyMilliseconds: REGISTER_MILLISECONDS,
        async run() {
          if ((await registerMissingAgents(stores, "production")) > 0) submitters.at(key)?.wake();
        },
      }),
    ];
  },
});
