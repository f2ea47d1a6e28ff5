import { z } from "zod";
import { UNSUBSCRIBE_PATH } from "../../../domain/page-paths.ts";
import type { Vault } from "../../../ports/vault.ts";

const CONTEXT = "notice unsubscribe link";
const Ended = z.object({
  tenantId: z.string(),
  environment: z.enum(["sandbox", "production"]),
  userId: z.string(),
  kind: z.string(),
});
type Ended = z.output<typeof Ended>;

export const UNSUBSCRIBE_API = "/api/notice-unsubscribes";

/** Ends notices of a kind for a person: for programs that follow RFC 8058, and as a page for the person. Nothing else can be done with it. */
export function buildUnsubscribeLinks(vault: Vault, appUrl: string, { tenantId, environment, userId, kind }: Ended) {
  const token = encodeURIComponent(vault.encrypt(JSON.stringify({ tenantId, environment, userId, kind }), CONTEXT));
  return {
    oneClick: `${appUrl}${UNSUBSCRIBE_API}?token=${token}`,
    page: `${new URL(appUrl).origin}${UNSUBSCRIBE_PATH}#${token}`,
  };
}

/** Undefined: we never made it. */
export function readUnsubscribeToken(vault: Vault, token: string): Ended | undefined {
  try {
    return Ended.parse(JSON.parse(vault.decrypt(token, CONTEXT)));
  } catch {
    return undefined;
  }
}
