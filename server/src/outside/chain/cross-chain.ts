import type { MessageAttestationsByNetwork } from "../../ports/chain/message-attestations.ts";
import type { UnifiedBalanceByNetwork } from "../../ports/chain/unified-balance.ts";

export function openMessageAttestations(): MessageAttestationsByNetwork {
  return { of: () => undefined };
}

export function openUnifiedBalance(): UnifiedBalanceByNetwork {
  return { of: () => undefined };
}
