import { stranger } from "../support/treasury.ts";
import { once, type Refusals } from "./refusal.ts";

/** Whom the token's issuer blocks. */
export const blockedAddress = once(async ({ escrow }) => {
  const address = stranger();
  await escrow.block("USDC", address);
  return address;
});
const dripped = once(async ({ service }) => {
  const address = stranger();
  await service.call("faucet_drip", { address });
  return address;
});

/** A further chain on which the tenant has money. */
const usedChain = once(async ({ service }) => {
  const fromChain = "Base_Sepolia";
  await service.call("bridge_to_arc", { fromChain, amount: "1" });
  return fromChain;
});

const payee = "0x00000000000000000000000000000000000a11ce";
const swapping = (amount: string) => ({ fromToken: "USDC", toToken: "EURC", amount });
const endings: Refusals = { transfer_in_progress: "chain", transfer_reverted: "chain" };

export const treasuryRefusals: Readonly<Record<string, Refusals>> = {
  send_tokens: {
    ...endings,
    chain_not_available: "deployment",
    insufficient_balance: () => ({ args: { to: payee, amount: "50" } }),
    settlement_stopped: () => ({ args: { to: payee, amount: "50" } }),
    recipient_blocked: async (world) => ({ args: { to: await blockedAddress(world), amount: "50" } }),
  },
  settle_split: {
    ...endings,
    chain_not_available: "deployment",
    insufficient_balance: () => ({ args: { supplier: payee, gross: "50" } }),
    settlement_stopped: () => ({ args: { supplier: payee, gross: "50" } }),
    recipient_blocked: async (world) => ({ args: { supplier: await blockedAddress(world), gross: "50" } }),
  },
  swap_tokens: {
    ...endings,
    chain_not_available: "deployment",
    insufficient_balance: () => ({ args: swapping("50") }),
    settlement_stopped: () => ({ args: swapping("50") }),
    recipient_blocked: "chain",
    rate_not_available: "rates",
    rate_stale: "rates",
    swap_not_available: "deployment",
    swap_amount_too_large: () => ({ args: swapping("50000.000001") }),
    price_moved: "chain",
    swap_expired: "chain",
  },
  gateway_transfer: {
    chain_not_available: "deployment",
    amount_too_low: () => ({ args: { from: "Arc_Testnet", to: "Base_Sepolia", amount: "0.000001" } }),
    insufficient_balance: () => ({ args: { from: "Arc_Testnet", to: "Base_Sepolia", amount: "50" } }),
    settlement_stopped: () => ({ args: { from: "Arc_Testnet", to: "Base_Sepolia", amount: "50" } }),
    recipient_blocked: "chain",
    transfer_refused: "chain",
  },
  gateway_deposit: {
    ...endings,
    chain_not_available: "deployment",
    insufficient_balance: () => ({ args: { chain: "Arc_Testnet", amount: "50" } }),
    settlement_stopped: () => ({ args: { chain: "Arc_Testnet", amount: "50" } }),
    recipient_blocked: "chain",
  },
  gateway_withdraw: {
    chain_not_available: "deployment",
    insufficient_balance: () => ({ args: { chain: "Arc_Testnet", amount: "50" } }),
    settlement_stopped: () => ({ args: { chain: "Arc_Testnet", amount: "50" } }),
    nothing_withdrawing: () => ({ args: { chain: "Arc_Testnet" } }),
    already_withdrawing: "concurrent",
    wallet_lacks_gas: "deployment",
  },
  swap_and_bridge: {
    transfer_reverted: "chain",
    chain_not_available: () => ({ args: { fromChain: "Solana", amount: "50" } }),
    amount_too_low: "deployment",
    insufficient_balance: async (world) => ({ args: { fromChain: await usedChain(world), amount: "50000" } }),
    settlement_stopped: async (world) => ({ args: { fromChain: await usedChain(world), amount: "50" } }),
    rate_not_available: "rates",
    rate_stale: "rates",
    swap_not_available: "deployment",
    swap_amount_too_large: "deployment",
  },
  bridge_to_arc: {
    transfer_reverted: "chain",
    chain_not_available: () => ({ args: { fromChain: "Solana", amount: "50" } }),
    amount_too_low: "deployment",
    insufficient_balance: async (world) => ({ args: { fromChain: await usedChain(world), amount: "50000" } }),
    settlement_stopped: async (world) => ({ args: { fromChain: await usedChain(world), amount: "50" } }),
  },
  faucet_drip: {
    ...endings,
    chain_not_available: "deployment",
    settlement_stopped: () => ({ args: { address: stranger() } }),
    recipient_blocked: async (world) => ({ args: { address: await blockedAddress(world) } }),
    faucet_refused: "deployment",
    faucet_unavailable: "deployment",
    faucet_outcome_unknown: "deployment",
    faucet_cooldown: async (world) => ({ args: { address: await dripped(world) } }),
  },
};
