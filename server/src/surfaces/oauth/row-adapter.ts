import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import type { Clock } from "../../ports/clock.ts";
import type { AuthorizationRows } from "../../ports/connected-agents.ts";

/** For rows that the library gives no end, such as the tokens with which programs read their registration. */
const LONGEST_SECONDS = 400 * 86_400;

const CODE = "AuthorizationCode";

/** The library's storage. It keeps no sessions of its own: people's sessions are those of the sign-in. */
export function createAdapter(rows: AuthorizationRows, clock: Clock): (model: string) => Adapter {
  return (model) => {
    if (model === "Session") return NO_SESSIONS;
    return {
      async upsert(id, payload, seconds = LONGEST_SECONDS) {
        if (model === "Client") return await rows.putClient(id, { ...payload });
        await rows.put({ model, id, payload: { ...payload }, expiresAt: clock.now().add({ seconds }) });
      },
      async find(id): Promise<AdapterPayload | undefined> {
        return await (model === "Client" ? rows.findClient(id) : rows.find(model, id));
      },
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
      async consume(id) {
        if ((await rows.consume(model, id)) || model !== CODE) return;
        // The library has seen it unused: somebody else sent it at the same time.
        await endGrantOfCode(rows, id);
        throw new errors.InvalidGrant("authorization code already consumed");
      },
      // The library revokes a grant and its tokens at once, in any order.
      destroy: (id) => (model === "Grant" ? rows.endGrant(id) : rows.destroy(model, id)),
      revokeByGrantId: (grantId) => rows.endGrant(grantId),
    };
  };
}

async function endGrantOfCode(rows: AuthorizationRows, id: string): Promise<void> {
  const { grantId } = (await rows.find(CODE, id)) ?? {};
  if (typeof grantId === "string") await rows.endGrant(grantId);
}

const NO_SESSIONS: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};
