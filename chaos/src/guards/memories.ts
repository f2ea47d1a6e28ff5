import type { Replacement } from "../replace-source.ts";

const MODULES = "server/src/modules";

/**
 * The service without what keeps its memories, and the look-ups that it skips, right: other texts in its source as it is loaded, as
 * the product cannot be told to.
 */
export const withoutMemoryGuard: Readonly<Record<string, readonly Replacement[]>> = {
  /** The contracts of the development chains take a message as often as somebody delivers it: their check of the used nonce holds always. */
  "nonce-check": [
    {
      file: "server/src/generated/contracts/message-transmitter.ts",
      // SLOAD and ISZERO of usedNonces[nonce]; two NOT leave the slot, which is never zero.
      from: "60608301515f9081526008602052604090205415",
      to: "60608301515f9081526008602052604090201919",
    },
  ],
  /** Whether money stands still on a chain is remembered from when it did not. */
  "chain-stop": [
    {
      file: `${MODULES}/chain/sending/store-transactions.ts`,
      from: "and stopped_because is not null",
      to: "and false",
    },
  ],
  /** A tenant's wallet is remembered without its tenant. */
  "wallet-tenant": [
    {
      file: `${MODULES}/chain/store-wallets.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of the source.
      from: '${kind} ${tenantId ?? ""}`',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of the source.
      to: "${kind}`",
    },
  ],
  /** The tenant's rules are remembered from before they changed. */
  "rules-version": [
    {
      file: `${MODULES}/charging/store-calls-sql.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of the source.
      from: "(${asked}.rules_version is null or ${asked}.rules_version = room.rules_version)",
      to: "true",
    },
  ],
  /** A call goes on although another one has its Idempotency-Key. */
  "key-taken": [
    {
      file: `${MODULES}/charging/store-calls-sql.ts`,
      from: "or call_id in (select call_id from taken)",
      to: "or true",
    },
  ],
  /** A key stays remembered when it is revoked. */
  "key-eviction": [
    {
      file: `${MODULES}/identity/principal-cache.ts`,
      from: "      known.delete(keyHash);\n      unknown.delete(keyHash);\n    },\n    evictTenant",
      to: "    },\n    evictTenant",
    },
  ],
  /** A call that gave back what it had reserved does not take it again for an effect that it opens later. */
  "effect-look-up": [
    {
      file: `${MODULES}/effects/store.ts`,
      from: 'before?.state === "reserved" && before.effect === "none"',
      to: "before !== undefined",
    },
  ],
};
