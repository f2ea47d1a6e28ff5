import type { Aggregates, Stores } from "../../../server/src/kernel/contracts/whole.ts";
import type { Approvals } from "../../../server/src/modules/policy/index.ts";

/** An approval is only looked at before a call, and none is used up: it lets the same call through again and again. */
export function withoutApprovalUse(approvals: Approvals): Approvals {
  return {
    refuses: (asked) => approvals.refuses(asked),
    use: (asked) => approvals.refuses(asked),
    request: (asked, context) => approvals.request(asked, context),
    findDeciders: (asked) => approvals.findDeciders(asked),
    settle: (call) => approvals.settle(call),
  };
}

/** Who asked is not known to whoever decides. */
export function withoutFourEyes(stores: Stores): Stores {
  const { approvals, persons } = stores;
  const forget = <Found extends { requestedBy: string } | undefined>(found: Found): Found =>
    found === undefined ? found : { ...found, requestedBy: "nobody" };
  return {
    ...stores,
    approvals: {
      ...approvals,
      find: async (owners, id) => forget(await approvals.find(owners, id)),
      findSigned: async (id) => forget(await approvals.findSigned(id)),
    },
    persons: { ...persons, ofKey: async () => undefined },
  };
}

/** Whoever decides is told that it counts, also when somebody has decided before. */
export function withoutOneDecision(stores: Stores): Stores {
  const every = (aggregates: Aggregates): Aggregates => ({
    ...aggregates,
    approvals: {
      ...aggregates.approvals,
      decide: async (owner, id, decision) =>
        (await aggregates.approvals.decide(owner, id, decision)) ?? (await aggregates.approvals.find([owner], id)),
    },
  });
  return { ...stores, transaction: (work) => stores.transaction((aggregates) => work(every(aggregates))) };
}
