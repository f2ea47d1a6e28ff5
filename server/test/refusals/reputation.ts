import { openAgents } from "../support/agents.ts";
import { freshHash } from "../support/escrow.ts";
import { stranger } from "../support/treasury.ts";
import { once, type Refusals, type World } from "./refusal.ts";

const own = once(async ({ service, escrow }) => await (await openAgents(service, escrow)).demo());

const rating = (change: object = {}) => ({
  subjectAgentId: "1",
  stars: 5,
  tag: "refusals",
  fromKind: "org",
  ...change,
});
const rated = once(async ({ result }) => {
  await result("give_feedback", rating());
  return rating({ stars: 1 });
});

const requesting = async (world: World, change: object = {}) => {
  const { agentId, wallet } = await own(world);
  return {
    subjectAgentId: agentId,
    validatorAddress: wallet,
    ownerWalletAddress: wallet,
    tag: "refusals",
    ...change,
  };
};
/** A request to oneself. */
const requested = once(
  async (world) => (await world.result("request_validation", await requesting(world))).requestHash,
);
const answering = async (world: World, change: object = {}) => ({
  requestHash: await requested(world),
  response: 100,
  tag: "refusals",
  validatorWalletAddress: (await own(world)).wallet,
  ...change,
});
const answered = once(async (world) => {
  const { requestHash } = await world.result("request_validation", await requesting(world));
  await world.result("submit_validation_response", await answering(world, { requestHash }));
  return requestHash;
});

export const reputationRefusals: Readonly<Record<string, Refusals>> = {
  give_feedback: {
    chain_not_available: "deployment",
    agent_not_found: () => ({ args: rating({ subjectAgentId: "999999999" }) }),
    step_in_progress: "chain",
    registry_refused: "chain",
    own_agent: async (world) => ({ args: rating({ subjectAgentId: (await own(world)).agentId }) }),
    already_rated: async (world) => ({ args: await rated(world) }),
    trip_not_found: () => ({ args: rating({ tripId: freshHash() }) }),
    booking_not_found: () => ({ args: rating({ bookingId: freshHash() }) }),
    agent_not_involved: async (world) => {
      const { agentId } = await (await openAgents(world.service, world.escrow)).newTenant("Uninvolved");
      const tripId = await world.escrow.prefund("5");
      const { bookingId } = await world.result("reserve_booking", { tripId, upperBoundUsdc: "1" });
      return { args: rating({ subjectAgentId: agentId, bookingId }) };
    },
    user_not_found: () => ({ args: rating({ fromKind: "user", fromUserId: "user_nobody" }) }),
  },
  request_validation: {
    chain_not_available: "deployment",
    agent_not_found: async (world) => ({ args: await requesting(world, { subjectAgentId: "999999999" }) }),
    step_in_progress: "chain",
    registry_refused: "chain",
    not_the_owner: async (world) => ({ args: await requesting(world, { ownerWalletAddress: stranger() }) }),
  },
  submit_validation_response: {
    chain_not_available: "deployment",
    step_in_progress: "chain",
    registry_refused: "chain",
    validation_not_found: async (world) => ({ args: await answering(world, { requestHash: freshHash() }) }),
    not_the_validator: async (world) => ({ args: await answering(world, { validatorWalletAddress: stranger() }) }),
    wrong_tag: async (world) => ({ args: await answering(world, { tag: "another" }) }),
    already_answered: async (world) => ({
      args: await answering(world, { requestHash: await answered(world), response: 0 }),
    }),
  },
};
