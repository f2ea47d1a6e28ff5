import { decodeAbiParameters, encodeDeployData, type PublicClient, parseAbiParameters } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { codeProbeAbi, codeProbeBytecode } from "../../../generated/contracts/code-probe.ts";
import { reach } from "../client.ts";

const ANSWER = parseAbiParameters("bool[]");

/** Those of the accounts that have code, by one question to the node. */
export function whichHaveCode(client: PublicClient, accounts: readonly Hex[]): Promise<ReadonlySet<Hex>> {
  return reach(async () => {
    const data = encodeDeployData({ abi: codeProbeAbi, bytecode: codeProbeBytecode, args: [accounts] });
    const answer = await client.request({ method: "eth_call", params: [{ data }, "latest"] });
    const [haveCode] = decodeAbiParameters(ANSWER, answer);
    if (haveCode.length !== accounts.length) throw new Error("the node answers for other accounts than it was asked");
    return new Set(accounts.filter((_, index) => haveCode[index]));
  });
}
