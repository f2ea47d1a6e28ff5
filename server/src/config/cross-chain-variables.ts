import { address, choiceAmong, http, url, withDefault } from "./values.ts";

/** Money between chains. */
export const crossChainVariables = {
  bridgeFinality: withDefault(
    "BRIDGE_FINALITY",
    "standard",
    "`standard`: transfers between chains wait until the source chain is final. `fast`: they arrive earlier, where the bridge offers that, for its fee.",
    choiceAmong("standard", "fast"),
  ),
  chainBridgeTransmitter: address(
    "CHAIN_BRIDGE_TRANSMITTER",
    "Address of the bridge's message transmitter (CCTP v2) on the live chain; needs CHAIN_BRIDGE_MESSENGER. Unset: no bridge there.",
  ),
  chainBridgeMessenger: address(
    "CHAIN_BRIDGE_MESSENGER",
    "Address of the bridge's token messenger (CCTP v2) on the live chain; needs CHAIN_BRIDGE_TRANSMITTER.",
  ),
  chainSignedBurns: address(
    "CHAIN_SIGNED_BURNS",
    "Address of the service's contract that burns what a wallet signed for. Unset: no money leaves the live chain by the bridge.",
  ),
  chainGatewayWallet: address(
    "CHAIN_GATEWAY_WALLET",
    "Address of the Gateway's wallet contract on the live chain; needs CHAIN_GATEWAY_MINTER. Unset: no Gateway there.",
  ),
  chainGatewayMinter: address(
    "CHAIN_GATEWAY_MINTER",
    "Address of the Gateway's minter contract on the live chain; needs CHAIN_GATEWAY_WALLET.",
  ),
  chainSwapPool: address(
    "CHAIN_SWAP_POOL",
    "Address of the operator's swap pool on the live chain, whose quoter is the relayer. Unset: no swaps there.",
  ),
  attestationsUrl: url(
    "ATTESTATIONS_URL",
    http,
    "URL of the bridge's attestation service, for production keys. Unset: Circle's public service of the network.",
  ),
  gatewayApiUrl: url(
    "GATEWAY_API_URL",
    http,
    "URL of the Gateway's API, for production keys. Unset: Circle's public API of the network.",
  ),
};
