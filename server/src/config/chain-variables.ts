import { address, http, text, url, wholeNumber } from "./values.ts";

/** The live chain and the contracts that the service uses there. */
export const chainVariables = {
  chainRpcUrl: url("CHAIN_RPC_URL", http, "JSON-RPC URL of the live chain. Used for production keys only."),
  chainUsdc: address("CHAIN_USDC", "Address of USDC on the live chain."),
  chainEurc: address("CHAIN_EURC", "Address of EURC on the live chain. Unset: EURC is not supported there."),
  chainEscrow: address(
    "CHAIN_ESCROW",
    "Address of the escrow contract on the live chain. Unset: no trips in escrow there.",
  ),
  chainSplitter: address(
    "CHAIN_SPLITTER",
    "Address of the settlement splitter on the live chain. Unset: no splits there.",
  ),
  chainPaymentBatch: address(
    "CHAIN_PAYMENT_BATCH",
    "Address of the contract that settles payments in batches on the live chain. Unset: no batches there.",
  ),
  chainAgentIdentity: address(
    "CHAIN_AGENT_IDENTITY",
    "Address of the ERC-8004 registry of agents on the live chain; needs CHAIN_AGENT_REPUTATION and CHAIN_WALLET_CALLS. Unset: no agents, ratings and validations there.",
  ),
  chainAgentReputation: address(
    "CHAIN_AGENT_REPUTATION",
    "Address of the ERC-8004 registry of ratings on the live chain.",
  ),
  chainAgentValidation: address(
    "CHAIN_AGENT_VALIDATION",
    "Address of the ERC-8004 registry of validations on the live chain. Unset: no validations there.",
  ),
  chainWalletCalls: address(
    "CHAIN_WALLET_CALLS",
    "Address of the WalletCalls contract on the live chain, which wallets take as their code to write to the registries.",
  ),
  chainConfirmations: {
    name: "CHAIN_CONFIRMATIONS",
    fallback: undefined,
    meaning:
      "Number of blocks, including its own, after which a transaction on the live chain is final. Unset: 1 for chains whose blocks are known to be final, otherwise more than Ethereum needs. If a block that was already read is dropped, money is stopped.",
    read: (value: string | undefined) => (value === undefined ? undefined : wholeNumber(1, 1_000)(value)),
  },
  chainRelayerKeyFile: text(
    "CHAIN_RELAYER_KEY_FILE",
    "File with the private key of the wallet that pays for gas on the live chain.",
  ),
  chainsFile: text(
    "CHAINS_FILE",
    'A JSON file of further live chains besides the one of CHAIN_RPC_URL, in the form of "Further chains" in the guide to going live. Used for production keys only. Unset: no further ones.',
  ),
};
