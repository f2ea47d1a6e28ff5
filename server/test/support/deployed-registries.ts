import { concatHex, encodeAbiParameters } from "viem";
import { compile } from "../../../contracts/scripts/solc.ts";
import type { Hex } from "../../src/domain/tokens.ts";
import { walletCallsBytecode } from "../../src/generated/contracts/wallet-calls.ts";
import type { LiveChain } from "./live-service.ts";

const SOURCE = "contracts/test/support/DeployedRegistries.sol";

/** Registries as others have deployed them, and the code that wallets take to write to them. */
export async function deployRegistries(chain: Pick<LiveChain, "deploy">) {
  const compiled = compile([SOURCE]);
  const find = (contract: string): Hex => compiled.find(SOURCE, contract).bytecode;
  const identity = await chain.deploy(find("DeployedIdentities"));
  const withIdentity = (contract: string): Hex =>
    concatHex([find(contract), encodeAbiParameters([{ type: "address" }], [identity])]);
  return {
    CHAIN_AGENT_IDENTITY: identity,
    CHAIN_AGENT_REPUTATION: await chain.deploy(withIdentity("DeployedReputations")),
    CHAIN_AGENT_VALIDATION: await chain.deploy(withIdentity("DeployedValidations")),
    CHAIN_WALLET_CALLS: await chain.deploy(walletCallsBytecode),
  };
}
