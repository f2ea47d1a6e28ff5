import { sql } from "kysely";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Feedback, Validation } from "./reputation.ts";
import { toFeedback } from "./store-feedback.ts";
import { toValidation } from "./store-validations.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "reputation.ownReputation": OwnReputation;
  }
}

/** The tenant on a chain, with its own agent once that is registered. */
export interface ReputationOwner extends ChainKey {
  tenantId: string;
  /** Its treasury wallet. */
  address: Hex;
  agentId: bigint | undefined;
}

interface Page {
  /** An id: the page begins after it. */
  before: string | undefined;
  limit: number;
}

export interface RatedAgent {
  agentId: bigint;
  /** By this tenant, confirmed. */
  given: number;
  /** By everybody, confirmed. */
  count: number;
  starSum: number;
}

type OwnReputation = ReturnType<typeof createOwnReputation>;

/** A tenant's part in the registries: the ratings that it gave and got, and the validations that it has to do with. */
export function createOwnReputation(db: Queryable) {
  return {
    /** Newest first; those given also while they are on their way to the chain. */
    async feedback(owner: ReputationOwner, direction: "given" | "received", page: Page): Promise<readonly Feedback[]> {
      const { environment, chain, tenantId, agentId } = owner;
      if (direction === "received" && agentId === undefined) return [];
      let rows = db
        .selectFrom("feedback")
        .selectAll()
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .orderBy("id", "desc")
        .limit(page.limit);
      if (direction === "given") rows = rows.where("tenantId", "=", tenantId);
      else rows = rows.where("agentId", "=", String(agentId)).where("state", "=", "confirmed");
      if (page.before !== undefined) rows = rows.where("id", "<", page.before);
      return (await rows.execute()).map(toFeedback);
    },

    /** Those that the tenant asked for, and those of its agent or for its wallet to answer; newest first. */
    async validations(owner: ReputationOwner, page: Page): Promise<readonly Validation[]> {
      const { environment, chain, tenantId, address, agentId } = owner;
      let rows = db
        .selectFrom("validation")
        .selectAll()
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where((is) =>
          is.or([
            is("tenantId", "=", tenantId),
            is.and([
              is("state", "!=", "requesting"),
              is.or([
                is("validator", "=", address),
                ...(agentId === undefined ? [] : [is("agentId", "=", agentId.toString())]),
              ]),
            ]),
          ]),
        )
        .orderBy("id", "desc")
        .limit(page.limit);
      if (page.before !== undefined) rows = rows.where("id", "<", page.before);
      return (await rows.execute()).map(toValidation);
    },

    /** The agents that the tenant has rated, most often first. */
    async ratedAgents(
      { environment, chain, tenantId }: ReputationOwner,
      limit: number,
    ): Promise<readonly RatedAgent[]> {
      const { rows } = await sql<{ agentId: string; given: bigint; count: bigint; starSum: bigint }>`
        with rated as (
          select agent_id, count(*) as given from feedback
          where network = ${environment} and chain = ${chain} and tenant_id = ${tenantId} and state = 'confirmed'
          group by agent_id order by given desc, agent_id limit ${limit}
        )
        select rated.agent_id, rated.given, sums.count, sums.star_sum from rated cross join lateral (
          select count(*) as count, sum(stars)::bigint as star_sum from feedback
          where network = ${environment} and chain = ${chain} and feedback.agent_id = rated.agent_id
            and state = 'confirmed'
        ) sums order by rated.given desc, rated.agent_id`.execute(db);
      return rows.map(({ agentId, given, count, starSum }) => ({
        agentId: BigInt(agentId),
        given: Number(given),
        count: Number(count),
        starSum: Number(starSum),
      }));
    },
  };
}
